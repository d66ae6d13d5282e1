"""From what a user types to treatments: versions of frameworks among the factors."""

from __future__ import annotations

import sys

import pytest

from harness.environments.choose import Choice
from harness.environments.frameworks import frameworks
from harness.errors import UsageError
from harness.planning import plan, planner
from harness.planning.plan import Selection
from harness.records import Plan

PINNED = Choice("virtualenv")


def asked(*words: str) -> Plan:
    versions = planner.parse_frameworks(words)
    selection = Selection(("mnist_cnn",), tuple(versions), ("train",))
    return planner.make_plan(planner.PlanRequest("quick", selection, 1, None, versions), PINNED)


def pairs(plan: Plan) -> list[tuple[str, str]]:
    return [(one.framework, one.version) for one in plan.treatments]


def test_versions_asked_for_run_side_by_side_and_a_bare_name_is_the_default() -> None:
    newer, older, *_ = frameworks()["tensorflow"].versions
    torch = frameworks()["torch"].default_version
    found = pairs(asked("torch", f"tensorflow@{newer}", f"tensorflow@{older}", "tensorflow", "torch"))
    assert sorted(found) == [("tensorflow", older), ("tensorflow", newer), ("torch", torch)]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            "tensorflow@2.20",
            r"version of tensorflow '2\.20'; did you mean '2\.20\.0'\? \(known: 2\.21\.0, 2\.",
        ),
        ("sklearn@latest", r"unknown version of sklearn 'latest' \(known: "),  # whatever the workload
        ("tensorfow@2.21.0", "unknown framework 'tensorfow'; did you mean 'tensorflow'"),
        ("torch@", "torch@ names no version; offered: "),
        ("@2.21.0", "unknown framework ''"),
    ],
)
def test_what_is_not_offered_is_named_with_what_is(word: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        asked(word)


def test_an_interpreter_has_the_one_version_that_it_holds() -> None:
    framework = next(iter(frameworks().values()))
    package = type(framework)(**{**vars(framework), "package": "pytest"})
    choice = Choice("interpreter", sys.executable)
    assert choice.version(package) == choice.version(package, pytest.__version__)
    with pytest.raises(UsageError, match=r"not 0\.1"):
        choice.version(package, "0.1")


def test_a_variant_of_a_framework_runs_only_where_it_is_named() -> None:
    everything = planner.make_plan(planner.PlanRequest("quick", Selection(), 1, None), PINNED)
    variants = {name for name, one in frameworks().items() if one.variant}
    assert variants >= {"keras-jax", "keras-torch"}
    assert not variants & {one.framework for one in everything.treatments}
    assert {framework for framework, _ in pairs(asked("keras-jax", "keras"))} == {"keras", "keras-jax"}


def test_what_opens_a_campaign_by_turns_has_a_part_of_the_error_that_lets_it_tell_something() -> None:
    names = ("svm", "mnist_mlp", "ncf", "resnet")
    selection = Selection(names, ("jax", "torch", "sklearn"), ("train",))
    made = planner.make_plan(planner.PlanRequest("quick", selection, 1, None, by_turns=True), PINNED)
    assert made.until is not None and made.until.opening is not None
    first = next(name for name in made.turns if name != "svm")  # of which there is one implementation
    assert made.until.opening.work[0] == first
    assert made.until.opening.alpha > made.until.alpha
    assert next(
        one.treatment.work for one in plan.order(made) if one.block and one.treatment.workload != "svm"
    ) == (made.until.opening.work)
    assert (
        planner.make_plan(planner.PlanRequest("quick", selection, 1, None, until=0.02), PINNED).until.opening
        is None
    )
