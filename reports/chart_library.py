"""Vega, Vega-Lite and Vega-Embed as one script. Putting them together takes longer than all charts of a small page.

So it is kept beside what else is prepared: the next report reads it. What is kept says its own SHA-256, and what does
not hold it, as of a damaged file, is made anew; a folder that nobody may write to costs the time, not the report.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import altair as alt
import vl_convert

from harness import paths
from harness.errors import SuiteError
from harness.files.untrusted import read_beneath
from harness.files.whole_files import write_text

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
SNIPPET = "window.vegaEmbed = vegaEmbed;"
MOST_BYTES = 8 << 20


@cache
def bundle() -> str:
    """The same bytes each time: of one version of the library that makes it."""
    path = paths.home() / f"charts-{version('vl-convert-python')}-{VEGA_LITE}.js"
    return _kept(path) or _keep(path, str(vl_convert.javascript_bundle(SNIPPET, vl_version=VEGA_LITE)))


def _kept(path: Path) -> str:
    """Empty where there is none that is whole."""
    with suppress(OSError, SuiteError, UnicodeDecodeError):
        sha256, _, text = read_beneath(path.parent, path.name, MOST_BYTES).decode().partition("\n")
        return text if sha256 == _sha256(text) else ""
    return ""


def _keep(path: Path, text: str) -> str:
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, f"{_sha256(text)}\n{text}")
    return text


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
