"""What is proven of a treatment follows from what is measured of it."""

from __future__ import annotations

import json

import pytest

from harness.conformance import asked
from harness.records import Treatment

FILE = "8cde99639ace176c3051910ae92aed7fcb14ce4e01610d6d448b20ab72d6cc02"


def kinds(stage: str, **settings: object) -> dict[str, dict[str, object]]:
    """With the settings of each."""
    treatment = Treatment(
        workload="llm",
        framework="jax",
        version="0",
        stage=stage,
        dataset="synthetic-wikitext",
        settings=settings,
    )
    return {one.kind: json.loads(one.settings) for one in asked.of(treatment)}


def test_a_training_is_proven_step_by_step_and_what_infers_from_it_too() -> None:
    for stage in ("train", "generate"):
        assert list(kinds(stage, size="tiny")) == ["exact", "long", "own"]


def test_of_who_answers_by_a_files_weights_no_training_is_asked_for() -> None:
    """A size that generates in 2 GB may take 100 GB to train."""
    found = kinds("generate", size="1b", pretrained=FILE, precision="bf16")
    assert list(found) == ["exact", "answers"]
    assert found["answers"] == {"size": "1b", "precision": "bf16"}
    assert found["exact"] == {"form": "llama", "tied": False}


def test_a_training_that_begins_with_a_file_is_proven_as_any_other() -> None:
    assert list(kinds("train", size="tiny", pretrained=FILE)) == ["exact", "long", "own"]


def owns(workload: str, dataset: str, **settings: object) -> list[dict[str, object]]:
    """The settings of each proof of kind own."""
    treatment = Treatment(
        workload=workload, framework="torch", version="0", stage="train", dataset=dataset, settings=settings
    )
    return [json.loads(one.settings) for one in asked.of(treatment) if one.kind == "own"]


@pytest.mark.parametrize(
    ("workload", "dataset"), [("resnet", "synthetic-cifar10"), ("resnet50_imagenet", "synthetic-imagenet")]
)
def test_what_settings_do_after_the_first_step_is_proven_on_a_shallow_net(
    workload: str, dataset: str
) -> None:
    """A deep one is compared for one step, in which another momentum is the same."""
    assert owns(workload, dataset, momentum=0.5) == [{"momentum": 0.5}, {"momentum": 0.5, "depth": 11}]
    assert owns(workload, dataset, momentum=0.5, depth=101) == [
        {"momentum": 0.5, "depth": 101},
        {"momentum": 0.5, "depth": 11},
    ]
    assert owns(workload, dataset, momentum=0.5, depth=11) == [{"momentum": 0.5, "depth": 11}]
