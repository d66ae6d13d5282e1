"""What one line of the trust box says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.formats import listed

SOUND, DOUBTFUL = "sound", "doubtful"
FULL = "standard"  # the profile that leaves no work out


@dataclass(frozen=True)
class TrustFact:
    """`words` on `title`; `grade` is SOUND or DOUBTFUL; `command`: the remedy, empty where none is known."""

    title: str
    value: str
    words: str
    grade: str = SOUND
    command: str = ""


def few(names: Sequence[str]) -> str:
    """Up to three, of more the first two and how many others."""
    return listed(names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"])
