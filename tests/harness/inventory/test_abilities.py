"""A framework that only infers is planned for that alone, with weights another trains, and proven by its answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import paths
from harness.conformance import asked, references
from harness.conformance.tolerances import ANSWERS, EXACT, LONG, OWN
from harness.environments.choose import Choice
from harness.inventory import abilities
from harness.planning import applicability, plan
from harness.records import Plan, Treatment
from tests.harness.planning.test_plan import PROTOCOL

MANIFEST = 'stages = ["infer", "generate"]\nproves = ["outputs"]\n'


@pytest.fixture(autouse=True)
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JAX, as if it only inferred."""
    for real in paths.IMAGES.glob("*/manifest.toml"):
        here = tmp_path / real.parent.name / real.name
        here.parent.mkdir()
        here.write_text((MANIFEST if here.parent.name == "jax" else "") + real.read_text())
    monkeypatch.setattr(paths, "IMAGES", tmp_path)
    monkeypatch.setattr(abilities, "_all", abilities._all.__wrapped__)


def treatment(framework: str, stage: str, workload: str = "mnist_cnn") -> Treatment:
    return Treatment(workload=workload, framework=framework, version="1", stage=stage, dataset="digits")


def planned(*treatments: Treatment) -> tuple[Plan, list[str]]:
    kept, skipped = applicability.divide(treatments, Choice("virtualenv"))
    return plan.make("test", PROTOCOL, kept, skipped, seed=1), [one.reason for one in skipped]


def test_it_is_not_applicable_for_a_training_with_the_reason() -> None:
    made, reasons = planned(
        *(treatment(name, stage) for name in ("jax", "torch") for stage in ("train", "infer"))
    )
    assert reasons == ["jax has no stage train; it has infer, generate"]
    assert [one.inherent for one in made.skipped] == [True]
    assert [one.label for one in made.treatments] == [
        "mnist_cnn jax 1 infer",
        "mnist_cnn torch 1 train",
        "mnist_cnn torch 1 infer",
    ]


def test_another_framework_of_the_plan_trains_the_weights_that_it_infers_from() -> None:
    made, _ = planned(treatment("jax", "infer"), treatment("torch", "infer"))
    assert [(one.run_id, one.purpose) for one in plan.order(made)[:1]] == [
        ("0001-mnist_cnn-torch-train", "prepare")
    ]
    made, _ = planned(treatment("jax", "infer"), treatment("torch", "train"))
    assert plan.order(made)[0].treatment.label == "mnist_cnn torch 1 train"


def test_where_nobody_trains_its_weights_it_says_so() -> None:
    made, reasons = planned(treatment("jax", "infer"), treatment("torch", "train", "mnist_mlp"))
    assert reasons == ["jax only infers, and nobody in the plan trains mnist_cnn: add one who does"]
    assert [one.workload for one in made.treatments] == ["mnist_mlp"]


def test_its_answers_alone_are_proven_and_it_is_nobody_s_reference() -> None:
    assert [one.kind for one in asked.of(treatment("jax", "infer"))] == [ANSWERS]
    assert [one.kind for one in asked.of(treatment("torch", "infer"))] == [EXACT, LONG, OWN]
    jax, keras = ("jax", "1", "cpu"), ("keras", "1", "cpu")
    assert references.reference_of("mnist_cnn", [jax, keras]) == keras
    wanted = asked.all_of([treatment("jax", "infer"), treatment("torch", "infer")])
    recorded = references.with_references(wanted, list(wanted))
    assert [one.kind for one in recorded["torch", "1", "cpu"]] == [EXACT, LONG, OWN, ANSWERS]


def test_of_a_framework_of_another_checkout_nothing_is_known_to_lack() -> None:
    assert abilities.of("../jax") == abilities.Abilities()
    assert abilities.of("torch").trains and not abilities.of("jax").trains
