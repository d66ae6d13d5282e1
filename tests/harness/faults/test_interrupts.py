"""Ctrl-C in every phase of a campaign: exit code 130, nothing is left, nothing is lost, and it goes on."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest

from tests.harness.faults import laws
from tests.harness.faults.victim import Victim

pytestmark = pytest.mark.unhurried
INTERRUPTED = 130
IN_A_RUN = ("import", "load", "train", "evaluate", "teardown")


def interrupted(
    victim: Victim, moment: Callable[[], bool], before: laws.Runs, number: signal.Signals = signal.SIGINT
) -> laws.Runs:
    victim.begin()
    victim.until(moment)
    victim.interrupt(number)
    assert victim.end() == INTERRUPTED, victim.told
    assert victim.complained.split() == ["interrupted"]
    return laws.hold(victim, before)


def in_every_phase(victim: Victim) -> None:
    """One campaign bears them all: its first run is complete, the second one is broken off again and again."""
    assert interrupted(victim, victim.preparing, {}) == {}
    assert interrupted(victim, victim.baseline, {}) == {}
    seen = interrupted(victim, victim.runs(1), {})
    assert len(seen) == 1
    for moment in (victim.cool_down, victim.startup, *map(victim.phase, IN_A_RUN)):
        assert interrupted(victim, moment, seen) == seen
    assert interrupted(victim, victim.phase("train"), seen, signal.SIGTERM) == seen
    assert len(laws.go_on_to_the_end(victim, seen)) == 2


def test_ctrl_c_in_the_warm_up(campaign: Callable[..., Victim]) -> None:
    victim = campaign(blocks=1, warm_up_s=0.1)
    interrupted(victim, victim.phase("train"), {})
    purposes = [record.planned.purpose for record in laws.go_on_to_the_end(victim, {})]
    assert purposes == ["warm-up", "measure"]


def impatiently(victim: Victim) -> None:
    """The first one ends the run; the cleaning up is not broken off by the others, nor said to be."""
    victim.begin()
    victim.until(victim.phase("train"))
    for _ in range(5):
        victim.interrupt()
        time.sleep(0.05)
    assert victim.end() == INTERRUPTED, victim.told
    assert victim.complained.split() == ["interrupted"]
    laws.hold(victim, {})


def test_five_fast_ctrl_c_leave_no_container_no_cgroup_and_no_process(in_both: Callable[..., None]) -> None:
    in_both(impatiently, epochs=60)


def test_ctrl_c_in_every_phase(in_both: Callable[..., None]) -> None:
    in_both(in_every_phase)
