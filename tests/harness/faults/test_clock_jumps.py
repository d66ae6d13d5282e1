"""The time of day jumps during runs: they say so, and neither their energies nor their durations change."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from harness import store
from harness.analysis.tables import tables
from harness.records import RunRecord
from tests.emulators.clock import WallClock
from tests.harness.faults import laws
from tests.harness.faults.victim import WATTS, Victim

pytestmark = pytest.mark.unhurried
HOUR_S = 3600
MORE_THAN_A_RUN_S = 60


def jumps_forth_and_back(victim: Victim) -> None:
    clock = WallClock(victim.place)
    victim.variables |= clock.variables
    victim.begin()
    for number, ahead_s in enumerate((HOUR_S, 0)):
        victim.until(victim.runs(number))
        victim.until(victim.phase("train"))
        clock.set_ahead(ahead_s)
    assert victim.end() == 0, victim.told
    jumps_s = [jump_s(record) for record in laws.complete(victim, {})]
    assert jumps_s == pytest.approx([HOUR_S, -HOUR_S], abs=1)
    runs = tables(store.load_campaign(victim.folder)).runs
    assert (runs["duration_s"] < MORE_THAN_A_RUN_S).all()
    assert (runs["energy_j"] / runs["duration_s"]).tolist() == pytest.approx([WATTS] * 2, rel=0.02)


def jump_s(record: RunRecord) -> float:
    (message,) = [one.message for one in record.findings if one.code == "clock-jumped"]
    found = re.search(r"jumped by (\S+) s", message)
    assert found
    return float(found[1])


def test_the_time_of_day_jumps_forth_and_back(in_both: Callable[..., None]) -> None:
    in_both(jumps_forth_and_back)
