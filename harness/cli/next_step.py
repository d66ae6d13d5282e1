"""The command that comes next, told to a person at a terminal once one has ended; a program is told nothing."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from harness.cli.examples import NEXT
from harness.files.untrusted import printable

SOME = "results/..."  # stands for the campaign
CAMPAIGN = "campaign.json"
RESULTS = "results"
MOST = 10_000  # folders that are looked through
FOR_PROGRAMS = ("-h", "--help", "--dry-run", "--json", "json", "csv", "markdown")
WRITES_ONE = "run"


def tell(words: Sequence[str]) -> None:
    """Of what the command line was given, which has ended as it should."""
    if sys.stdout.isatty() and sys.stderr.isatty() and (line := after(words)):
        print(f"next: {printable(line)}", file=sys.stderr)  # noqa: T201


def after(words: Sequence[str]) -> str:
    """E.g. "suite compare results/20261126-quick"; empty where nothing follows."""
    name = next((word for word in words if not word.startswith("-")), "")
    if name not in NEXT or any(word in FOR_PROGRAMS for word in words):
        return ""
    folder = _campaign(words) or (_latest() if name == WRITES_ONE else None)
    return NEXT[name] if folder is None else NEXT[name].replace(SOME, shlex.quote(str(folder)))


def _campaign(words: Sequence[str]) -> Path | None:
    """The last that is named: what was written, or read."""
    named = (Path(word.partition("=")[2] or word) for word in reversed(words))
    return next((one for one in named if _is_one(one)), None)


def _latest() -> Path | None:
    """The youngest of those that campaigns without a name are written to."""
    return max(_in(Path(RESULTS)), key=lambda one: (one / CAMPAIGN).stat().st_mtime, default=None)


def _in(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (one for one in islice(folder.iterdir(), MOST) if _is_one(one))


def _is_one(folder: Path) -> bool:
    try:
        return (folder / CAMPAIGN).is_file()
    except (OSError, ValueError):  # longer than a name may be, or with a NUL
        return False
