"""Durations on the command line: 90s, 10min, 8h, 1h30min, overnight."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import click

FORM = re.compile(r"\+?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)min)?(?:(\d+(?:\.\d+)?)s)?", re.ASCII)
SECONDS = (3600.0, 60.0, 1.0)
OVERNIGHT, MORNING = "overnight", 8  # o'clock, as the machine's clock shows it
LEAST_S, MOST_S = 1.0, 365 * 24 * 3600.0


class Duration(click.ParamType[float]):
    """Gives seconds, from one to as many as a year has."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        seconds = until_morning(datetime.now()) if value == OVERNIGHT else _added_up(value)
        if not LEAST_S <= seconds <= MOST_S:
            self.fail(
                f"'{value[:40]}' is no duration; write it as 90s, 10min, 8h or 1h30min, from 1s to a year, or as "
                f"{OVERNIGHT}, until {MORNING} o'clock",
                param,
                ctx,
            )
        return seconds


DURATION = Duration()


def _added_up(value: str) -> float:
    """0 for what is no duration."""
    found = FORM.fullmatch(value)
    parts = zip(found.groups(), SECONDS, strict=True) if found else ()
    return sum(float(number) * unit for number, unit in parts if number)


def until_morning(now: datetime) -> float:
    """Seconds from this local time, without a time zone, also where the clocks are changed in between."""
    morning = now.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return (morning if now < morning else morning + timedelta(days=1)).timestamp() - now.timestamp()


def words(seconds: float) -> str:
    """As it is written on the command line, to the second: 1h30min."""
    left, parts = round(seconds), []
    for unit, name in ((3600, "h"), (60, "min"), (1, "s")):
        count, left = divmod(left, unit)
        parts += [f"{count}{name}"] if count else []
    return "".join(parts) or "0s"
