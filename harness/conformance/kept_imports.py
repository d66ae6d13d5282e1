"""What sources import, kept by their contents: to read them all again takes a sixth of what `suite plan show` may.

A source that has changed has another key, and so has every one for another reader of them, or another Python.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import suppress
from pathlib import Path

from harness.files.whole_files import write_text

READER = Path(__file__).with_name("imports.py")
MOST = 10_000  # sources: then it begins anew


class KeptImports:
    """Kept in the file at `path`; a damaged one, or none, costs the time alone."""

    def __init__(self, path: Path) -> None:
        self._path, self._new = path, False
        self._found = _kept(path)
        self._reader = hashlib.sha256(READER.read_bytes() + sys.version.encode())

    def of(self, source: bytes, package: tuple[str, ...]) -> frozenset[str]:
        """Modules of `suite`, and names in them, that a source in this package imports. Raises: SyntaxError."""
        (digest := self._reader.copy()).update(".".join(package).encode() + b"\0" + source)
        if (key := digest.hexdigest()) not in self._found:
            from harness.conformance.imports import imported  # which nobody needs who has them all

            self._found[key], self._new = sorted(imported(source, package)), True
        return frozenset(self._found[key])

    def keep(self) -> None:
        """Where there is something new, and the disk takes it."""
        if self._new:
            self._new = False
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_text(self._path, json.dumps(self._found if len(self._found) < MOST else {}))


def _kept(path: Path) -> dict[str, list[str]]:
    """Whatever is no such file is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    sound = isinstance(found, dict) and all(
        isinstance(names, list) and all(isinstance(one, str) for one in names) for names in found.values()
    )
    return found if sound else {}
