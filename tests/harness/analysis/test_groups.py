"""What sets groups of treatments apart: that alone is told beside their workload and stage."""

from __future__ import annotations

from typing import Any

from harness.analysis.groups import Group, distinctions, grouped
from harness.records import Treatment


def groups(*varied: dict[str, Any]) -> tuple[Group, ...]:
    base = {
        "workload": "resnet",
        "framework": "torch",
        "version": "2.13.0",
        "stage": "train",
        "dataset": "cifar10",
    }
    return grouped(Treatment(**{**base, **one}) for one in varied)


def test_a_single_piece_of_work_needs_no_words() -> None:
    assert list(distinctions(groups({"settings": {"depth": 50}})).values()) == [""]


def test_what_all_have_alike_is_left_out() -> None:
    found = groups({"settings": {"depth": 50, "epochs": 2}}, {"settings": {"depth": 101, "epochs": 2}})
    assert list(distinctions(found).values()) == ["depth 50", "depth 101"]


def test_data_sets_devices_and_settings_that_only_one_has_set_groups_apart() -> None:
    found = groups({}, {"dataset": "svhn"}, {"device": "cuda", "settings": {"mode": "compile"}})
    told = ["cifar10, cpu", "svhn, cpu", "cifar10, cuda, mode compile"]
    assert list(distinctions(found).values()) == told


def test_stages_and_workloads_are_not_held_against_each_other() -> None:
    found = groups(
        {}, {"stage": "infer", "settings": {"depth": 50}}, {"workload": "svm", "dataset": "digits"}
    )
    assert set(distinctions(found).values()) == {""}


def test_what_is_always_told_is_told() -> None:
    found = groups({"settings": {"mode": "eager"}}, {"settings": {"mode": "compile"}})
    told = distinctions(found, always=("dataset",))
    assert list(told.values()) == ["cifar10, mode eager", "cifar10, mode compile"]


def test_a_file_of_weights_is_told_by_the_beginning_of_its_checksum_and_none_as_random() -> None:
    found = groups({"settings": {"pretrained": "0a1b" * 16}}, {"settings": {"pretrained": ""}})
    assert list(distinctions(found).values()) == ["pretrained 0a1b0a1b0a1b", "pretrained random"]
    assert found[0].title == "resnet · train · cifar10 · pretrained 0a1b0a1b0a1b"
    assert found[0].key["settings"] == '{"pretrained": "%s"}' % ("0a1b" * 16)
