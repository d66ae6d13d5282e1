"""Where a workload's metrics and units of work come from: the campaign, the checkout, or the usual ones."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.inventory.tasks import CLASSIFIED, Tasks, of_spec, to_keep
from harness.records import MetricRecord, TaskRecord, Treatment
from suite.task import Direction
from tests.toys.reciter.spec import SPEC

DISTANCE = MetricRecord(name="distance", title="edit distance", direction=Direction.LOWER)
WORDS = TaskRecord(metrics=(DISTANCE,), units=("sample", "token"))


def treatment(workload: str) -> Treatment:
    return Treatment(workload=workload, framework="torch", version="1", stage="train", dataset="digits")


def test_a_campaign_keeps_the_tasks_that_this_checkout_knows() -> None:
    assert to_keep([treatment("mnist_cnn"), treatment("unheard_of")]) == {"mnist_cnn": CLASSIFIED}


def test_what_a_campaign_keeps_comes_before_the_checkout_and_that_before_the_usual() -> None:
    tasks = Tasks({"mnist_cnn": WORDS})
    assert tasks.task("mnist_cnn") == WORDS and tasks.task("unheard_of") == CLASSIFIED
    assert tasks.units(["mnist_cnn", "unheard_of"]) == ["token"]


def test_more_is_better_of_a_metric_that_the_task_does_not_know() -> None:
    assert WORDS.metric("distance").direction is Direction.LOWER
    assert WORDS.metric("bleu") == MetricRecord(name="bleu", title="bleu", direction=Direction.HIGHER)


@pytest.mark.parametrize(
    "odd", [{"units": ("=cmd",)}, {"units": ("a\x1b[2J",)}, {"metrics": ()}, {"metrics": ({"name": "\n"},)}]
)
def test_a_stranger_s_task_names_what_a_column_and_a_terminal_can_bear(odd: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TaskRecord.model_validate({**WORDS.model_dump(), **odd})


@pytest.mark.parametrize("unit", ["step", "parameter", "epoch", "energy_j_per_token"])
def test_a_unit_that_would_hide_another_count_is_refused(unit: str) -> None:
    with pytest.raises(ValidationError, match="no unit of work"):
        TaskRecord(metrics=(MetricRecord(name="a", title="a"),), units=(unit,))


def test_of_a_stage_that_tells_less_or_has_parts_that_is_kept() -> None:
    kept = of_spec(SPEC)
    assert kept.units == ("sample", "token", "prompt_token", "generated_token")
    assert kept.units_of("train") == ("sample", "token") and kept.parts("train") == ()
    assert kept.parts("generate") == ("prefill", "decode") and kept.parts("infer") == ()
    assert kept.stages["generate"].metrics == ("continuation",)
    assert TaskRecord.model_validate_json(kept.model_dump_json()) == kept


def test_a_stage_s_runs_had_to_count_its_own_units_alone() -> None:
    tasks = Tasks({"reciter": of_spec(SPEC), "words": WORDS})
    assert tasks.promised("reciter", "train") == ["token"]
    assert tasks.promised("reciter", "generate") == ["prompt_token", "generated_token"]
    assert tasks.promised("words", "infer") == ["token"] and tasks.promised("unheard_of", "train") == []
