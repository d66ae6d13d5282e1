"""What the joules of compared campaigns are, and that nobody has proven imported work: lines below the tables."""

from __future__ import annotations

from collections.abc import Iterable

from harness.cli import screen
from harness.records import IMPORTED
from harness.store import Campaign
from reports.wording import IMPORTED_WORK, energy_statement


def say(campaigns: Iterable[Campaign]) -> None:
    for line in lines(campaigns):
        screen.say(line)


def lines(campaigns: Iterable[Campaign]) -> list[str]:
    """Each once, however many campaigns it is true of."""
    several = list(campaigns)
    unproven = [IMPORTED_WORK for one in several if one.record.isolation == IMPORTED]
    return list(dict.fromkeys([*map(energy_statement, several), *unproven]))
