"""The sentences of a test set of WMT, which are the segments of an SGML file."""

from __future__ import annotations

import re
from pathlib import Path

from harness.errors import DataError

SEGMENT = re.compile(r"<seg[^>]*>(.*?)</seg>", re.IGNORECASE | re.DOTALL)


def sentences(path: Path) -> list[str]:
    """In the file's order, one space between words. Raises: DataError if there are none."""
    try:
        found = [" ".join(one.split()) for one in SEGMENT.findall(path.read_text(encoding="utf-8"))]
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text: {error.reason}") from error
    if not found:
        raise DataError(f"{path} has no segments: it is no test set in SGML")
    return found
