"""A profiler that cannot look at a treatment leaves out that one, and no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.environments.choose import Choice
from harness.planning import planner, profilers
from harness.planning.plan import Selection
from harness.planning.planner import PlanRequest
from harness.records import Plan, Profiler, Treatment

BOTH = PlanRequest("quick", Selection(("svm", "mnist_mlp"), ("sklearn", "torch"), ("train",)), 1, None)


def made(*under: Profiler) -> Plan:
    return planner.make_plan(replace(BOTH, under=under), Choice("virtualenv"))


def frameworks(plan: Plan) -> set[str]:
    return {one.framework for one in plan.treatments}


def test_operators_leave_out_a_framework_without_them_and_keep_the_others() -> None:
    plan = made(Profiler.OPERATORS)
    assert frameworks(plan) == {"torch"}
    (left,) = plan.skipped
    assert left.inherent and left.reason.startswith("sklearn has no operators of its own to profile")


@pytest.mark.parametrize("under", [(), (Profiler.PY_SPY,), (Profiler.OPERATORS, Profiler.CPROFILE)])
def test_what_any_of_them_can_look_at_stays(under: tuple[Profiler, ...]) -> None:
    assert frameworks(made(*under)) == {"sklearn", "torch"}
    assert not made(*under).skipped


def test_each_treatment_is_looked_at_by_those_that_can() -> None:
    trees = Treatment(workload="svm", framework="sklearn", version="1", stage="train", dataset="digits")
    every = tuple(Profiler)
    assert profilers.of(trees, every) == (Profiler.PY_SPY, Profiler.NATIVE, Profiler.CPROFILE)
    assert profilers.of(trees.model_copy(update={"framework": "keras-jax"}), every) == every
