"""Blows while a run is looked at: the profiler killed, the harness killed or interrupted. No process is left behind."""

from __future__ import annotations

import signal
from collections.abc import Callable

import psutil
import pytest

from harness.profiling import stacks_file
from harness.records import Outcome, Purpose, RunRecord
from tests.harness.faults import laws
from tests.harness.faults.victim import Victim

pytestmark = pytest.mark.unhurried
PURPOSES = [Purpose.MEASURE, Purpose.PROFILE]


def looked_at(victim: Victim) -> psutil.Process:
    """The profiler of the run under way, which works by now; the measured one is stored."""
    victim.more = ("--profile-runs", "1")
    victim.begin()
    victim.until(victim.runs(1))
    victim.until(victim.phase("train"))
    return next(child for child in victim.children if child.name() == "py-spy")


def killed_profiler(victim: Victim) -> None:
    looked_at(victim).kill()
    assert victim.end() == 0, victim.told
    measured, struck, again = laws.complete(victim, {})
    assert struck.outcome is Outcome.FAILED
    assert struck.reason == "py-spy was ended by SIGKILL, in the middle of the run"
    assert struck.reason in victim.said
    assert [one.planned.purpose for one in (measured, struck, again)] == [
        Purpose.MEASURE,
        *[Purpose.PROFILE] * 2,
    ]
    assert seen(victim, again) > 0


def killed_harness(victim: Victim) -> None:
    looked_at(victim)
    victim.kill()
    before = laws.hold(victim, {}, swept=False)  # the profiler has ended with its worker
    goes_on(victim, before)


def interrupted(victim: Victim) -> None:
    looked_at(victim)
    victim.interrupt()
    assert victim.end() == 128 + signal.SIGINT, victim.told
    goes_on(victim, laws.hold(victim, {}))


def goes_on(victim: Victim, before: laws.Runs) -> None:
    assert len(before) == 1
    records = laws.go_on_to_the_end(victim, before)
    assert [one.planned.purpose for one in records] == PURPOSES
    assert [seen(victim, one) > 0 for one in records] == [False, True]


def seen(victim: Victim, record: RunRecord) -> int:
    """Stacks that are kept with a run."""
    folder = victim.folder / "runs" / record.planned.run_id
    return len(stacks_file.read(folder).stacks) if (folder / stacks_file.STACKS_FILE).exists() else 0


@pytest.mark.parametrize("scenario", [killed_profiler, killed_harness])
def test_a_blow_while_a_run_is_looked_at(
    scenario: Callable[[Victim], None], in_both: Callable[..., None]
) -> None:
    in_both(scenario, blocks=1, epochs=20)


def test_an_interrupt_while_a_run_is_looked_at(campaign: Callable[..., Victim]) -> None:
    interrupted(campaign(blocks=1, epochs=20))
