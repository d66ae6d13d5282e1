"""The order of a campaign whose time is short: one work to its first verdicts, then all of everything, then depth."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.planning import plan
from harness.planning.turns import OPENING
from harness.records import Plan, PlannedRun, PlanRecord, Purpose, Treatment
from tests.simulated_turns import PROTOCOL, planned

LOOK = 3


def treatment(workload: str, framework: str, stage: str = "train") -> Treatment:
    return Treatment(workload=workload, framework=framework, version="1", stage=stage, dataset="d")


def measured(made: Plan) -> list[PlannedRun]:
    return [one for one in plan.order(made) if one.purpose == Purpose.MEASURE]


@given(st.integers(1, 4), st.integers(1, 4), st.integers(LOOK, 8), st.booleans())
def test_every_block_of_a_work_has_each_treatment_once_and_blocks_come_in_their_order(
    workloads: int, frameworks: int, most: int, infers: bool
) -> None:
    names = [f"w{number}" for number in range(workloads)]
    able = [f"f{number}" for number in range(frameworks + 1)]  # one alone is compared with nothing
    made = planned(names, able, most, ("train", "infer") if infers else ("train",))
    runs = measured(made)
    assert len({one.run_id for one in runs}) == len(runs)
    assert set(Counter((one.treatment.label, one.block) for one in runs).values()) == {1}
    for work in {one.treatment.work for one in runs}:
        blocks = [one.block for one in runs if one.treatment.work == work]
        assert blocks == sorted(blocks) == [block for block in range(1, most + 1) for _ in able]


def test_one_work_opens_then_every_workload_is_seen_then_every_stage_then_each_goes_to_its_first_look() -> (
    None
):
    made = planned(["a", "b", "c"], ["x", "y"], 5, ("train", "infer"))
    turns = list(
        dict.fromkeys((one.treatment.workload, one.treatment.stage, one.block) for one in measured(made))
    )
    opening = [("a", "train", block) for block in range(1, OPENING + 1)]
    assert turns[: len(opening)] == opening
    assert turns[4:9] == [
        ("b", "train", 1), ("c", "train", 1), ("a", "infer", 1), ("b", "infer", 1), ("c", "infer", 1),
    ]  # fmt: skip
    assert turns[9:13] == [("a", "infer", 2), ("a", "infer", 3), ("b", "train", 2), ("b", "train", 3)]
    assert {block for _, _, block in turns[-5:]} == {5}


def test_every_workload_is_seen_in_two_frameworks_before_any_but_the_opening_one_is_in_more() -> None:
    runs = measured(planned(["a", "b", "c"], ["w", "x", "y", "z"], 4))[4 * OPENING :]
    assert [(one.treatment.workload, one.treatment.framework) for one in runs[:4]] == [
        (workload, framework)
        for workload in ("b", "c")
        for framework in (one.treatment.framework for one in runs[:4] if one.treatment.workload == workload)
    ]
    assert {one.treatment.framework for one in runs[:4]} == {"w", "z"}
    assert {one.treatment.framework for one in runs[4:8]} == {"x", "y"}
    assert {one.block for one in runs[:8]} == {1}


def test_what_is_seen_first_is_the_reference_that_was_declared_beside_another() -> None:
    made = planned(["a", "b", "c"], ["w", "x", "y", "z"], 4)
    assert made.until is not None
    named = made.model_copy(update={"until": made.until.model_copy(update={"reference": "x 1"})})
    first = measured(named)[4 * OPENING :][:4]
    assert {one.treatment.framework for one in first} == {"x", "z"}


def test_what_nothing_is_compared_with_opens_nothing_and_has_no_block_beyond_a_first_look() -> None:
    made = planned(["a"], ["x", "y"], 6)
    alone = treatment("alone", "x")
    with_it = made.model_copy(update={"treatments": (alone, *made.treatments), "turns": ("alone", "a")})
    runs = measured(with_it)
    assert runs[0].treatment.workload == "a"
    blocks = [one.block for one in runs if one.treatment == alone]
    assert blocks == list(range(1, LOOK + 1))
    assert [one.treatment for one in runs[-2:]] == [alone, alone]  # no verdict is open there


def test_a_training_comes_right_before_what_begins_with_its_state() -> None:
    order = plan.order(planned(["a", "b"], ["x", "y"], 4, ("train", "infer")))
    for place, one in enumerate(order):
        if one.purpose == Purpose.PREPARE:
            then = order[place + 1].treatment
            assert (then.workload, then.stage) == (one.treatment.workload, "infer")
            assert not any(
                each.treatment.work == then.work for each in order[:place] if each.purpose == Purpose.MEASURE
            )
    assert sum(one.purpose == Purpose.PREPARE for one in order) == 2


def test_a_control_run_opens_each_block_once() -> None:
    made = planned(["a", "b"], ["x", "y"], 5).model_copy(update={"control_rounds": 10})
    order = plan.order(made)
    for block in range(1, 6):
        first = next(one for one in order if one.block == block)
        assert first.purpose == Purpose.CONTROL
    assert sum(one.purpose == Purpose.CONTROL for one in order) == 5


def test_room_is_asked_for_what_the_first_looks_need() -> None:
    made = planned(["a", "b"], ["x", "y"], 10)
    assert plan.fewest_runs(made) == 2 * 2 * LOOK
    by_blocks = made.model_copy(update={"turns": (), "until": None})
    assert plan.fewest_runs(by_blocks) == len(plan.order(by_blocks))


def test_a_plan_block_by_block_is_stored_as_before_there_were_turns() -> None:
    made = plan.make("quick", PROTOCOL, [treatment("a", "x")], (), seed=1)
    assert "turns" not in made.model_dump(mode="json")
    assert "turns" in planned(["a"], ["x", "y"]).model_dump(mode="json")


def test_a_record_of_turns_without_a_rule_or_with_endless_looks_is_refused() -> None:
    kept = planned(["a"], ["x", "y"], 6).model_dump(mode="json")
    assert PlanRecord.model_validate(kept).turns == ("a",)
    with pytest.raises(ValidationError, match="turns need until"):
        PlanRecord.model_validate({**kept, "until": None})
    endless = {**kept["until"], "looks": list(range(3, 5000))}
    with pytest.raises(ValidationError, match="looks"):
        PlanRecord.model_validate({**kept, "until": endless})
