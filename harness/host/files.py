"""The kernel's small files, under a root that tests may choose. What cannot be read is None."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path("/")
CHOSEN = re.compile(r"\[(\S+)\]")


def read(root: Path, path: str) -> str | None:
    try:
        return (root / path).read_text().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def read_all(root: Path, pattern: str) -> list[str]:
    """The distinct contents of all files that match, sorted."""
    found = (read(root, str(path.relative_to(root))) for path in sorted(root.glob(pattern)))
    return sorted({content for content in found if content is not None})


def chosen(text: str | None) -> str | None:
    """Of a file that lists the choices with the present one in brackets: "always [madvise] never"."""
    found = CHOSEN.search(text or "")
    return found.group(1) if found else text


def number(text: str | None) -> int | None:
    return int(text) if text is not None and text.lstrip("-").isdigit() else None
