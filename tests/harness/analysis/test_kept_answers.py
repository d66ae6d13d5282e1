"""Answers that were kept from another pass are right in every order, but they take no time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from harness.analysis import equal_work
from harness.analysis.kept_answers import again_too_fast, too_fast
from harness.inventory.tasks import CLASSIFIED, Tasks
from harness.records import Purpose
from harness.store import Campaign, Run
from suite.protocol import Event
from tests.campaigns import Recipe, build
from tests.harness.analysis.test_serving import TASK

NS = 1_000_000_000
SECONDS = (0.030, 0.025, 0.026, 0.028)


@pytest.fixture
def campaign(tmp_path: Path) -> Callable[..., Campaign]:
    """One framework whose measured passes and evaluations take so long, each after the other."""
    number = count()

    def make(passes: Sequence[float], evaluations: Sequence[float] = SECONDS) -> Campaign:
        recipe = Recipe(frameworks={"torch": 1.0}, blocks=1, stages=("train", "infer"))
        built = build(tmp_path / f"c{next(number)}", recipe)
        runs = []
        for run in built.runs:
            infers = run.record.planned.treatment.stage == "infer"
            name, seconds = ("infer", passes) if infers else ("evaluate", evaluations)
            others = [one for one in run.events if one.data.get("name") not in ("infer", "evaluate")]
            runs.append(replace(run, events=(*others, *_phases(name, seconds))))
        return replace(built, runs=tuple(runs))

    return make


def on_a_gpu(campaign: Campaign) -> list[Run]:
    found = []
    for run in campaign.runs:
        treatment = run.record.planned.treatment.model_copy(update={"device": "cuda"})
        planned = run.record.planned.model_copy(update={"treatment": treatment})
        found.append(replace(run, record=run.record.model_copy(update={"planned": planned})))
    return found


def _phases(name: str, seconds: Sequence[float]) -> list[Event]:
    times, at_ns = [], 0
    for number, one in enumerate(seconds):
        epoch = {"epoch": number} if name == "evaluate" else {}
        for edge, t_ns in (("begin", at_ns), ("end", at_ns + round(one * NS))):
            times.append(Event(t_ns, "phase", {"name": name, "edge": edge, **epoch}))
        at_ns += NS
    return times


def test_passes_that_take_as_long_as_evaluations_count(campaign: Callable[..., Campaign]) -> None:
    assert too_fast(campaign(SECONDS).runs) == {}
    assert too_fast(campaign([0.2, 0.004, 0.004]).runs) == {}


def test_passes_that_take_no_time_were_not_computed(campaign: Callable[..., Campaign]) -> None:
    built = campaign([0.030, 0.0003, 0.0001, 0.0001])
    (why,) = too_fast(built.runs).values()
    assert why == "a pass takes 0.0001 s, the same answers after training 0.025 s"
    assert equal_work.parted(built.runs) == {one: equal_work.WORDS + why for one in too_fast(built.runs)}


def test_one_pass_of_many_that_was_looked_up_is_seen(campaign: Callable[..., Campaign]) -> None:
    (why,) = too_fast(campaign([0.030, 0.026, 0.0003, 0.028, 0.027]).runs).values()
    assert why == "a pass takes 0.0003 s, the same answers after training 0.025 s"


def test_a_gpus_first_evaluation_may_have_loaded_kernels(campaign: Callable[..., Campaign]) -> None:
    passes = [0.5, 0.004, 0.004]
    assert too_fast(campaign(passes, [0.5]).runs) != {}
    assert too_fast(on_a_gpu(campaign(passes, [0.5]))) == {}
    assert too_fast(on_a_gpu(campaign(passes, [0.5, 0.005]))) == {}
    assert too_fast(on_a_gpu(campaign(passes, [0.5, 0.05]))) != {}


def test_one_pass_or_a_campaign_without_training_tells_nothing(campaign: Callable[..., Campaign]) -> None:
    assert too_fast(campaign([0.0001]).runs) == {}
    assert too_fast(campaign([0.0001] * 4, ()).runs) == {}


IN_PARTS = Tasks(
    {"mnist_cnn": CLASSIFIED.model_copy(update={"stages": {"generate": TASK.stages["generate"]}})}
)


def in_parts(campaign: Campaign, each_s: Sequence[float]) -> list[Run]:
    """Passes of two batches, of which decoding takes nine tenths."""
    found, at_ns, events = [], 0, list[Event]()
    for one in each_s:
        for name, share in (("prefill", 0.05), ("prefill", 0.05), ("decode", 0.45), ("decode", 0.45)):
            for edge, length in (("begin", 0.0), ("end", share * one)):
                at_ns += round(length * NS)
                events.append(Event(at_ns, "phase", {"name": name, "edge": edge}))
        at_ns += NS
    for run in campaign.runs:
        treatment = run.record.planned.treatment.model_copy(update={"stage": "generate"})
        planned = run.record.planned.model_copy(update={"treatment": treatment})
        record = run.record.model_copy(update={"planned": planned})
        found.append(replace(run, record=record, events=tuple(events)))
    return found[:1]


def test_a_pass_in_parts_is_held_against_the_first_one(campaign: Callable[..., Campaign]) -> None:
    built = campaign(SECONDS)
    (why,) = again_too_fast(in_parts(built, [0.4, 0.38, 0.003, 0.4]), IN_PARTS).values()
    assert why == "a pass takes 0.003 s, the first one 0.4 s"
    assert again_too_fast(in_parts(built, [0.4, 0.2, 0.3]), IN_PARTS) == {}
    assert again_too_fast(in_parts(built, [0.4]), IN_PARTS) == {}
    assert again_too_fast(in_parts(built, [0.4, 0.003]), Tasks()) == {}, "a stage without parts"


def test_a_gpus_first_pass_may_have_loaded_kernels(campaign: Callable[..., Campaign]) -> None:
    built = campaign(SECONDS)
    runs = on_a_gpu(replace(built, runs=tuple(in_parts(built, [0.4, 0.003]))))
    assert again_too_fast(runs, IN_PARTS) == {}


def test_what_a_profiled_run_takes_is_no_measure_of_others(campaign: Callable[..., Campaign]) -> None:
    """Were its evaluations as quick as answers that were kept, these would pass for computed."""
    built = campaign([0.030, 0.0003, 0.0001, 0.0001])
    quick = next(run for run in campaign(SECONDS, [0.0002, 0.0002]).runs if _trains(run))
    planned = quick.record.planned.model_copy(update={"purpose": Purpose.PROFILE})
    profiled = replace(quick, record=quick.record.model_copy(update={"planned": planned}))
    assert too_fast((*built.runs, profiled)) == too_fast(built.runs) != {}


def _trains(run: Run) -> bool:
    return run.record.planned.treatment.stage == "train"
