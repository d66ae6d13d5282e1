"""What comes next by turns: what is left is not made, and what was made is not left out of account."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from harness.campaign.turn_order import TurnOrder
from harness.planning import plan
from harness.records import Outcome, PlannedRun, Purpose
from tests.simulated_turns import planned

ORDER = plan.order(planned(["a", "b"], ["x", "y"], 5, ("train", "infer")))
MEASURED = [one for one in ORDER if one.purpose == Purpose.MEASURE]


def carried_out(turns: TurnOrder, each: Callable[[PlannedRun], bool]) -> dict[str, Outcome]:
    """Those that `each` would not rather leave."""
    done: dict[str, Outcome] = {}
    while one := turns.next(done):
        if each(one):
            done[one.run_id] = Outcome.OK
        else:
            turns.leave(one, "for the test")
    return done


def test_all_of_it_is_made_where_nothing_is_left() -> None:
    assert list(carried_out(TurnOrder(ORDER, 0, 3), lambda one: True)) == [one.run_id for one in ORDER]


@given(st.sets(st.sampled_from([one.run_id for one in ORDER])))
def test_it_ends_and_makes_nothing_of_a_work_after_it_was_left(refused: set[str]) -> None:
    turns = TurnOrder(ORDER, 0, 3)
    done = carried_out(turns, lambda one: one.run_id not in refused)
    assert not refused & set(done)
    for work in turns.left:
        of_work = [one for one in MEASURED if one.treatment.work == work]
        made = [one.run_id in done for one in of_work]
        assert made == sorted(made, reverse=True)  # its first ones, and none after


def test_with_a_training_goes_what_begins_with_its_state() -> None:
    turns = TurnOrder(ORDER, 0, 3)
    done = carried_out(turns, lambda one: one.purpose != Purpose.PREPARE)
    assert {work[2] for work in turns.left} == {"infer"}
    assert {one.treatment.stage for one in ORDER if one.run_id in done} == {"train"}


def test_a_run_that_failed_is_made_again_but_not_once_its_work_is_left() -> None:
    turns = TurnOrder(ORDER, 1, 3)
    done: dict[str, Outcome] = {}
    first = turns.next(done)
    assert first is not None
    done[first.run_id] = Outcome.FAILED
    second = turns.next(done)
    assert second is not None
    done[second.run_id] = Outcome.OK
    again = turns.next(done)
    assert again is not None and again.run_id == f"{first.run_id}-again-1"
    turns.leave(again, "for the test")
    after = turns.next(done)
    assert after is not None and after.treatment.work != first.treatment.work


def test_a_first_block_is_begun_run_by_run_a_later_one_up_to_the_next_look() -> None:
    turns = TurnOrder(ORDER, 0, 3)
    of_b = [one for one in MEASURED if one.treatment.label.startswith("b") and one.treatment.stage == "train"]
    first, second, fourth = (next(one for one in of_b if one.block == block) for block in (1, 2, 4))
    assert turns.together(first, {}) == [first]
    made = {one.run_id: Outcome.OK for one in of_b if one.block < 2}
    assert [one.block for one in turns.together(second, made)] == [2, 2, 3, 3]
    made = {one.run_id: Outcome.OK for one in of_b if one.block < 4}
    assert [one.block for one in turns.together(fourth, made)] == [4, 4]


def test_a_block_that_has_begun_is_not_given_up_for_want_of_time_for_those_after_it() -> None:
    turns = TurnOrder(ORDER, 0, 3)
    of_work = [one for one in MEASURED if one.treatment.work == MEASURED[-1].treatment.work]
    made = {one.run_id: Outcome.OK for one in of_work[:3]}
    assert of_work[3].block == 2 and turns.together(of_work[3], made) == [of_work[3]]
