"""Settings of the kernel: one value in one file of sysfs or procfs."""

from __future__ import annotations

import glob
import re
from pathlib import Path

CHOSEN = re.compile(r"\[([^\]]+)\]")  # always [madvise] never


def keys(pattern: str) -> list[str]:
    """The files that the kernel really offers, cpu2 before cpu10."""
    return sorted(glob.glob(pattern), key=_natural)  # noqa: PTH207 - absolute


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path)]


def look(path: str) -> str | None:
    """The value, or the chosen one of several; None where the file is gone. Raises: OSError."""
    try:
        text = Path(path).read_text().strip()
    except FileNotFoundError:
        return None
    chosen = CHOSEN.search(text)
    return chosen.group(1) if chosen else text


def put_back(path: str, before: str | None) -> None:
    """Raises: OSError as the kernel words it."""
    if not Path(path).exists():
        raise FileNotFoundError(f"{path} is gone")
    Path(path).write_text(f"{before}\n")
