"""Durations on the command line: 90s, 10min, 8h, 1h30min."""

from __future__ import annotations

import re
from typing import Any

import click

FORM = re.compile(r"\+?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)min)?(?:(\d+(?:\.\d+)?)s)?", re.ASCII)
SECONDS = (3600.0, 60.0, 1.0)
LEAST_S, MOST_S = 1.0, 365 * 24 * 3600.0


class Duration(click.ParamType[float]):
    """Gives seconds, from one to as many as a year has."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        found = FORM.fullmatch(value)
        parts = zip(found.groups(), SECONDS, strict=True) if found else ()
        seconds = sum(float(number) * unit for number, unit in parts if number)
        if not LEAST_S <= seconds <= MOST_S:
            self.fail(
                f"'{value[:40]}' is no duration; write it as 90s, 10min, 8h or 1h30min, from 1s to a year",
                param,
                ctx,
            )
        return seconds


DURATION = Duration()


def words(seconds: float) -> str:
    """As it is written on the command line, to the second: 1h30min."""
    left, parts = round(seconds), []
    for unit, name in ((3600, "h"), (60, "min"), (1, "s")):
        count, left = divmod(left, unit)
        parts += [f"{count}{name}"] if count else []
    return "".join(parts) or "0s"
