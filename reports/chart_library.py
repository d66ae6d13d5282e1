"""Vega, Vega-Lite and Vega-Embed as one script. Putting them together takes longer than all charts of a small page.

So it is kept beside what else is prepared: the next report reads it. What is kept says its own SHA-256, and what does
not hold it, as of a damaged file, is made anew; a folder that nobody may write to costs the time, not the report. A
sum beside it keeps nobody from writing another script there, which every report would then run: one that others own,
or may write to, is not read.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import vl_convert

from harness import paths
from harness.errors import SuiteError
from harness.files.untrusted import open_beneath
from harness.files.whole_files import write_text
from reports.vega_lite import VERSION as VEGA_LITE

SNIPPET = "window.vegaEmbed = vegaEmbed;"
MOST_BYTES = 8 << 20
MODE, OTHERS_WRITE = 0o644, 0o022


@cache
def bundle() -> str:
    """The same bytes each time: of one version of the library that makes it."""
    path = paths.home() / f"charts-{version('vl-convert-python')}-{VEGA_LITE}.js"
    return _kept(path) or _keep(path, str(vl_convert.javascript_bundle(SNIPPET, vl_version=VEGA_LITE)))


def _kept(path: Path) -> str:
    """Empty where there is none that is whole, and one's own."""
    with suppress(OSError, SuiteError, UnicodeDecodeError):
        with os.fdopen(open_beneath(path.parent, path.name), "rb") as file:
            if not _own(os.fstat(file.fileno())):
                return ""
            sha256, _, text = file.read(MOST_BYTES + 1).decode().partition("\n")
        return text if sha256 == _sha256(text) else ""
    return ""


def _own(found: os.stat_result) -> bool:
    return found.st_uid in (os.geteuid(), 0) and not found.st_mode & OTHERS_WRITE


def _keep(path: Path, text: str) -> str:
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, f"{_sha256(text)}\n{text}")
        path.chmod(MODE)  # whatever else this user lets others write
    return text


def _sha256(text: str) -> str:
    """With how it was asked for: what was made for another page is made anew."""
    return hashlib.sha256(f"{SNIPPET}\n{text}".encode()).hexdigest()
