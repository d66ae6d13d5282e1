"""Groups that differ in data set and settings alone are laid side by side; nothing else is."""

from __future__ import annotations

import json

from harness.analysis.families import DATASET, SAME, families
from harness.analysis.groups import Group


def group(
    workload: str = "resnet", dataset: str = "cifar10", stage: str = "train", **settings: int | str
) -> Group:
    return Group(workload, dataset, stage, "cuda", json.dumps(settings, sort_keys=True), ("torch 2", "jax 1"))


MANY = [group(batch_size=b, depth=d, epochs=10) for d in (50, 18) for b in (256, 32, 64)]


def test_factors_are_those_of_which_there_are_several_levels_in_order_of_size() -> None:
    (family,) = families(MANY)
    assert family.factors == {"batch_size": [32, 64, 256], "depth": [18, 50]}
    assert family.label(MANY[0]) == "batch_size 256 · depth 50"
    assert family.title == "resnet · train · cuda"


def test_a_data_set_is_a_factor_unless_it_parts_families() -> None:
    both = [group(dataset=name, depth=50) for name in ("svhn", "cifar10")]
    (together,) = families(both)
    assert together.factors == {DATASET: ["svhn", "cifar10"]}
    assert [one.title for one in families(both, (*SAME, DATASET))] == [
        "resnet · train · svhn · cuda", "resnet · train · cifar10 · cuda",
    ]  # fmt: skip


def test_workloads_and_stages_are_never_in_one_family() -> None:
    assert len(families([group(), group(stage="infer"), group(workload="ncf")])) == 3


def test_a_group_without_a_setting_that_others_have_is_labelled_by_what_it_has() -> None:
    (family,) = families([group(), group(depth=50), group(depth=101)])
    assert [family.label(one) for one in family.groups] == ["", "depth 50", "depth 101"]
