"""What remains is counted from the end of one run to the end of the next, and warm-up runs are no part of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.campaign import remaining
from harness.campaign.remaining import Remaining
from harness.planning import plan
from harness.planning.forecast import Eta
from harness.planning.plan_files import Protocol
from harness.records import PowerModel, RunRecord, Treatment
from tests.campaigns import NS, Recipe, build

NAMES = ("jax", "torch")
PLAN = plan.make(
    "quick",
    Protocol(repetitions=3, sample_period_s=0.1, baseline_s=3, run_timeout_s=60, expected_run_s=9,
             power_model=PowerModel(idle_w=10, busy_cpu_w=8)),
    [Treatment(workload="svm", framework=name, version="1", stage="train", dataset="digits") for name in NAMES],
    (), seed=1,
)  # fmt: skip
ORDER = plan.order(PLAN)
TOOK_S = {"jax": 4.0, "torch": 10.0}


def walked(runs: int, waits_s: float = 2.0) -> tuple[Remaining, float]:
    """After so many runs of TOOK_S, each after a wait."""
    one, now_s = Remaining(ORDER, 10.0, began_s=0.0), 0.0
    for planned in ORDER[:runs]:
        one.started(planned)
        now_s += waits_s + TOOK_S[planned.treatment.framework]
        one.finished(planned, now_s)
    return one, now_s


def test_before_the_first_run_the_plans_word_holds_for_all() -> None:
    one, now_s = walked(0)
    assert one.eta(now_s) == Eta(60.0)
    assert (one.done, one.total) == (0, 6)


def test_the_waits_between_runs_are_in_it() -> None:
    one, now_s = walked(4)
    eta = one.eta(now_s)
    assert (eta.seconds, eta.low_s, eta.high_s) == pytest.approx((18.0,) * 3)
    assert one.eta(now_s + 5).seconds == pytest.approx(13.0)


def test_a_run_that_takes_longer_than_expected_takes_nothing_from_those_after_it() -> None:
    one, now_s = walked(5)
    (last,) = ORDER[5:]
    assert one.eta(now_s + 1000).seconds == 0.0
    one, now_s = walked(4)
    assert one.eta(now_s + 1000).seconds == pytest.approx(2 + TOOK_S[last.treatment.framework])


@given(st.floats(0, 1e4), st.floats(0, 1e4), st.integers(0, 6))
def test_waiting_never_lengthens_it(first_s: float, second_s: float, runs: int) -> None:
    one, now_s = walked(runs)
    sooner, later = sorted((first_s, second_s))
    assert one.eta(now_s + later).seconds <= one.eta(now_s + sooner).seconds


def test_after_the_last_run_nothing_remains() -> None:
    one, now_s = walked(6)
    assert one.eta(now_s) == Eta(0.0, 0.0, 0.0)


def test_a_warm_up_run_is_no_run_of_the_plan_and_says_nothing_of_its_treatment() -> None:
    one, _ = walked(0)
    warm_up = ORDER[0].model_copy(update={"run_id": "warm-up-001", "purpose": "warm-up"})
    one.started(warm_up)
    one.finished(warm_up, 500.0)
    assert (one.done, one.total, one.eta(500.0)) == (0, 6, Eta(60.0))


def test_a_repetition_comes_on_top() -> None:
    one, now_s = walked(6)
    again = ORDER[5].model_copy(update={"run_id": f"{ORDER[5].run_id}-again-1"})
    one.started(again)
    assert (one.done, one.total) == (6, 7)
    assert one.eta(now_s).seconds == pytest.approx(2 + TOOK_S[again.treatment.framework])


def test_treatments_that_differ_in_a_setting_alone_are_told_apart() -> None:
    small, large = (
        ORDER[0].model_copy(update={"run_id": name, "treatment": ORDER[0].treatment.model_copy(
            update={"settings": {"batch_size": size}})})
        for name, size in (("small", 1), ("large", 512))
    )  # fmt: skip
    one = Remaining([small, large, large.model_copy(update={"run_id": "again"})], 1.0, 0.0)
    one.finished(small, 5.0)
    one.finished(large, 105.0)
    assert one.eta(105.0).seconds == 100.0


def on_disk(folder: Path, pause_s: float) -> Remaining:
    """A campaign of two treatments in which two of six runs are missing, broken off in its middle for a while."""
    campaign = build(folder, Recipe(noise=0.0, unfinished=2))
    runs = [run.record for run in campaign.runs]
    runs = [*runs[:2], *(later(record, pause_s) for record in runs[2:])]
    order = campaign.record.order
    return remaining.of_campaign(campaign.record.plan, order, runs, runs[-1].exit_ns / NS)


def later(record: RunRecord, pause_s: float) -> RunRecord:
    moved = {
        "start_ns": record.start_ns + round(pause_s * NS),
        "exit_ns": record.exit_ns + round(pause_s * NS),
    }
    return record.model_copy(update=moved)


@pytest.mark.parametrize("pause_s", [8 * 3600.0, -900.0])  # a night, a reboot
def test_the_time_in_which_a_campaign_was_broken_off_is_not_the_runs(tmp_path: Path, pause_s: float) -> None:
    first = on_disk(tmp_path / "first", pause_s)
    broken, whole = first.eta(0.0), on_disk(tmp_path / "whole", 0.0).eta(0.0)
    assert (first.done, first.total) == (4, 6)
    assert broken.seconds == pytest.approx(whole.seconds, abs=2.0)
    assert whole.seconds == pytest.approx(3.65 + 1 + 4.55 + 1, abs=1.0)
