"""The sampling process is killed (-9): its run fails with the reason, the next one has another, and it goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness import store
from harness.energy.series import Series
from harness.records import Outcome, RunRecord
from harness.sampling import reading
from tests.harness.faults import laws
from tests.harness.faults.victim import Victim

pytestmark = pytest.mark.unhurried


def during_a_run(victim: Victim) -> None:
    victim.begin()
    victim.until(victim.phase("train"))
    victim.sampler().kill()
    assert victim.end() == 0, victim.told
    struck, *others = laws.complete(victim, {})
    assert struck.outcome is Outcome.FAILED
    assert "the sampling process ended with exit code -9" in struck.reason
    for record in others:
        assert record.outcome is Outcome.OK
        assert all(len(one.values) for one in kept(victim, record))


def after_a_batch(victim: Victim) -> None:
    """Once some samples are on disk: those are kept."""
    raw = store.SAMPLES_FILE + ".raw"
    victim.begin()
    victim.until(
        lambda: any(
            (run / raw).exists() and (run / raw).stat().st_size > 1 << 16 for run in victim.unfinished
        )
    )
    victim.sampler().kill()
    assert victim.end() == 1, victim.told  # its only run did not count
    laws.hold(victim, {})
    (struck,) = laws.records(victim)
    assert struck.outcome is Outcome.FAILED
    assert sum(len(one.values) for one in kept(victim, struck)) > 1000


def during_the_baseline(victim: Victim) -> None:
    victim.begin()
    victim.until(victim.baseline)
    victim.sampler().kill()
    assert victim.end() == 0, victim.told
    assert [record.outcome for record in laws.complete(victim, {})] == [Outcome.OK] * 2


def kept(victim: Victim, record: RunRecord) -> tuple[Series, ...]:
    return reading.read(
        victim.folder / store.RUNS / record.planned.run_id / store.SAMPLES_FILE, record.channels
    )


def test_a_sampler_killed_during_a_run(in_both: Callable[..., None]) -> None:
    in_both(during_a_run, blocks=1, epochs=20)


def test_a_sampler_killed_after_it_has_written(campaign: Callable[..., Victim]) -> None:
    # Its first batch is full after some 60 epochs: with no more, the run is often over before the blow.
    after_a_batch(campaign(blocks=1, epochs=180, retries=0, sample_period_s=0.001))


def test_a_sampler_killed_during_the_baseline(campaign: Callable[..., Victim]) -> None:
    during_the_baseline(campaign())
