"""Holds that no page of the site loads anything from another place: `python docs/site/loads_nothing.py build/site`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

TAG = re.compile(r"<(?:script|img|iframe|link|source|video)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
STYLE = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^;)]*")


def loaded(folder: Path) -> Iterator[str]:
    """File and place of what would be loaded from afar; a link that a reader may follow is none."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".html", ".css"):
            text = file.read_text()
            yield from (f"{file}: {found}" for one in (TAG, STYLE) for found in one.findall(text))


if __name__ == "__main__":
    sys.exit("\n".join(loaded(Path(sys.argv[1]))) or 0)
