"""Time is spent where a verdict is open, on a simulated machine: the rule is what carries out real campaigns."""

from __future__ import annotations

import numpy as np
import pytest

from harness.campaign.by_turns import SETTLED
from harness.records import Outcome, Plan, Purpose
from tests.simulated_turns import Machine, blocks, carried_out, machine, planned

FOREVER_S = 1e6


def clear(made: Plan) -> dict[str, float]:
    """Workload a: one framework takes three times as long as the other; b: both alike."""
    return {one.label: 15.0 if one.label.startswith("a y") else 5.0 for one in made.treatments}


def noisy(most: int = 10, seed: int = 3) -> Machine:
    made = planned(["a", "b"], ["x", "y"], most)
    return machine(made, clear(made), 0.02, seed)


def test_a_work_with_its_verdicts_has_no_further_turn_and_the_open_one_has_all() -> None:
    one = noisy()
    found = {work[0]: count for work, count in blocks(carried_out(one, FOREVER_S)).items()}
    assert found["a"] < found["b"]
    verdicts = {(r.workload, r.verdict) for r in one.ratios()}
    assert ("a", "worse") in verdicts and not {("b", "worse"), ("b", "better")} & verdicts


def test_once_nothing_is_open_it_says_where_it_stopped() -> None:
    made = carried_out(noisy(), FOREVER_S)
    stop = made.stop()
    assert stop is not None and stop.blocks == max(blocks(made).values())
    assert {one.decision for one in stop.ratios} <= {
        "verdict reached",
        "interval within the margin",
        "last look",
    }


def test_what_time_ended_is_open() -> None:
    one = noisy()
    made = carried_out(one, 100.0)
    assert set(blocks(made)) == {one.work for one in one.plan.treatments}
    assert made.stop() is None


def test_a_profiled_run_that_time_was_too_short_for_is_made_by_who_goes_on() -> None:
    made = planned(["a"], ["x", "y"]).model_copy(update={"profile_runs": 2})
    one = machine(made, clear(made), 0.02, 3)
    profiled = [run.run_id for run in one.order if run.purpose == Purpose.PROFILE]
    assert len(profiled) == 4
    done: dict[str, Outcome] = {}
    known = carried_out(one, 92.0, done)  # four blocks of 20 s, and no 15 s more
    assert {r.decision for r in one.ratios()} and not set(profiled) <= set(done)
    assert known.stop() is None
    assert carried_out(one, FOREVER_S, done).stop() is not None and set(profiled) <= set(done)


def test_the_first_run_of_all_begins_while_there_is_any_time() -> None:
    one = noisy()
    assert len(carried_out(one, 1.0).made) == 1  # a run is thought to take 7 s
    assert not carried_out(noisy(), 0.0).made


@pytest.mark.parametrize("first_s", [12.0, 60.0, 150.0])
def test_broken_off_by_time_it_goes_on_to_the_same_answers(first_s: float) -> None:
    at_once, later = noisy(), noisy()
    carried_out(at_once, FOREVER_S)
    done = carried_out(later, first_s).done
    made = carried_out(later, FOREVER_S, done)
    assert made.stop() is not None
    assert {one.run_id for one in made.made} == set(done)
    assert {(r.workload, r.quantity, r.verdict) for r in later.ratios()} >= {("a", "duration_s", "worse")}


def test_gone_on_with_what_is_known_is_not_measured_again() -> None:
    one = noisy()
    done = carried_out(one, FOREVER_S).done
    before = dict(done)
    assert carried_out(one, FOREVER_S, done).done == before


class Unproven:
    """Of one workload nobody can prove that its implementations are equal."""

    def __init__(self, workload: str, takes: Machine) -> None:
        self.workload, self.takes, self.asked, self.latest = workload, takes, [], []  # type: ignore[var-annotated]

    def why_not(self, workload: str, end_s: float | None) -> str:
        self.asked.append(workload)
        self.latest.append((self.takes.now_s, end_s))
        self.takes.now_s += 10.0
        return f"{workload}: for the test" if workload == self.workload else ""


def test_no_more_than_a_first_look_at_its_costs_is_spent_on_what_is_not_proven() -> None:
    one = noisy()
    proofs = Unproven("a", one)
    made = carried_out(one, 2_000.0, proofs=proofs)
    assert {work[0]: count for work, count in blocks(made).items()} == {"a": 1, "b": 10}
    assert made.stop() is None  # a is open for good
    assert proofs.asked[0] == "a" and set(proofs.asked) == {"a", "b"}
    assert all(now < end < 2_000.0 for now, end in proofs.latest)


def test_the_time_of_proofs_is_no_runs_time() -> None:
    one = noisy()
    made = carried_out(one, FOREVER_S, proofs=Unproven("", one))
    assert made.time_left is not None
    took = made.time_left._remaining.took_s
    assert np.mean(list(took.values())) < 10.0


def test_nothing_that_is_known_counts_as_short_of_time() -> None:
    made = carried_out(noisy(), FOREVER_S)
    assert set(made._turns.left.values()) <= {SETTLED}
