"""How long a job may take, as Slurm writes it (sbatch(1), --time): pure."""

from __future__ import annotations

import math
import re

from harness.errors import UsageError

# minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds
FORM = re.compile(r"(?:(?P<days>\d{1,4})-)?(?P<rest>\d{1,6}(?::\d{1,2}){0,2})", re.ASCII)
MOST_MINUTES = 365 * 24 * 60
SECONDS_A_DAY, SECONDS_AN_HOUR = 86400, 3600


def minutes(text: str) -> int:
    """Rounded up, as Slurm does. Raises: UsageError for what is no time, or none that a job can take."""
    found = FORM.fullmatch(text)
    if not found:
        raise UsageError(
            f"--time {text!r} is no time: write minutes, hours:minutes:seconds, or days-hours:minutes:seconds"
        )
    parts = [int(part) for part in found["rest"].split(":")]
    total = math.ceil(_seconds(found["days"], parts) / 60)
    if not 1 <= total <= MOST_MINUTES:
        raise UsageError(f"--time {text} is none that a job can take: at least a minute, at most a year")
    return total


def _seconds(days: str | None, parts: list[int]) -> int:
    """What one or two numbers mean depends on whether days stand before them."""
    if days is not None:
        hours, mins, secs = (*parts, 0, 0)[:3]
        return int(days) * SECONDS_A_DAY + hours * SECONDS_AN_HOUR + mins * 60 + secs
    if len(parts) == 3:
        return parts[0] * SECONDS_AN_HOUR + parts[1] * 60 + parts[2]
    mins, secs = (*parts, 0)[:2]
    return mins * 60 + secs
