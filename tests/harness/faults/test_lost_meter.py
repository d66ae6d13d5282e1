"""The energy counter vanishes during a run: runs are invalid until it is back, and the plan is completed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.records import Outcome
from tests.harness.faults import laws
from tests.harness.faults.victim import ZONE, Victim

pytestmark = pytest.mark.unhurried


def for_two_runs(victim: Victim) -> None:
    victim.begin()
    victim.until(victim.phase("train"))
    victim.meter.vanish(ZONE)
    victim.until(victim.runs(2))
    victim.meter.come_back(ZONE)
    assert victim.end() == 0, victim.told
    records = laws.complete(victim, {})
    assert [one.outcome for one in records] == [Outcome.INVALID, Outcome.INVALID, Outcome.OK]
    for record in records[:2]:
        assert "meter-lost" in [finding.code for finding in record.findings]
        assert [lost.meter for lost in record.lost] == ["rapl"]


def over_an_end(victim: Victim) -> None:
    victim.begin()
    victim.until(victim.runs(1))
    victim.interrupt()
    victim.end()
    seen = laws.hold(victim, {})
    victim.meter.vanish(ZONE)
    victim.begin()
    assert "the channels of the run's energy" in laws.one_line(victim)
    assert laws.hold(victim, seen) == seen
    victim.meter.come_back(ZONE)
    laws.go_on_to_the_end(victim, seen)


def test_runs_are_invalid_while_the_meter_is_away_and_are_made_again(in_both: Callable[..., None]) -> None:
    in_both(for_two_runs, blocks=1, retries=2)


def test_a_campaign_goes_on_with_its_meter_or_not_at_all(campaign: Callable[..., Victim]) -> None:
    over_an_end(campaign())
