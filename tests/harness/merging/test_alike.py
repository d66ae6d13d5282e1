"""What may not differ between campaigns that are merged is said in one line, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import merging, store
from harness.errors import UsageError
from harness.findings.codes import Code, Severity
from tests.campaigns import Recipe, build
from tests.harness.merging.nodes import PLAN, change, node, nodes


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (replace(PLAN, plan_seed=2), "the plan's seed"),
        (replace(PLAN, frameworks={"torch": 1.0, "jax": 1.0}), "the treatments .*tensorflow"),
        (replace(PLAN, settings=({"depth": 18},)), "the treatments .*depth"),
        (replace(PLAN, period_s=0.2), "the plan's sample_period_s"),
        (replace(PLAN, isolation="docker"), "the isolation"),
        (replace(PLAN, suite_sha256="aa" * 32), "the workloads in suite/"),
        (replace(PLAN, data_sha256="aa" * 32), "the data of digits"),
    ],
)
def test_another_plan_is_refused(tmp_path: Path, other: Recipe, why: str) -> None:
    given = [node(tmp_path / "a", 1), node(tmp_path / "b", 2, other)]
    with pytest.raises(UsageError, match=f"no campaigns of one plan: .*{why}") as caught:
        merging.merge(given, tmp_path / "all")
    assert "\n" not in str(caught.value) and not (tmp_path / "all").exists()


@pytest.mark.parametrize("key", ["lock_sha256", "packages", "python"])
def test_another_environment_is_refused(tmp_path: Path, key: str) -> None:
    given = nodes(tmp_path, 2)
    inside = {"lock_sha256": "aa", "packages": {"numpy": "2"}, "python": "3.11"}
    change(given[0], environments={"torch 2.13.0": inside})
    change(given[1], environments={"torch 2.13.0": {**inside, key: "other"}})
    with pytest.raises(UsageError, match=f"the environment of torch 2.13.0 .{key}"):
        merging.merge(given, tmp_path / "all")


def test_another_number_of_blocks_is_the_same_plan(tmp_path: Path) -> None:
    given = [node(tmp_path / "a", 1), node(tmp_path / "b", 2, replace(PLAN, blocks=3))]
    found = store.load_campaign(merging.merge(given, tmp_path / "all")).record
    assert found.plan.repetitions == 5 and sorted(one.blocks for one in found.sources) == [2, 3]


@pytest.mark.parametrize(
    "facts",
    [
        {"cpu_model": "Another CPU"}, {"logical_cpus": 16}, {"memory_bytes": 32_000_000_000},
        {"gpus": [{"name": "A GPU", "uuid": "GPU-1"}]},
    ],
)  # fmt: skip
def test_different_hardware_is_merged_where_that_is_asked_for_alone(
    tmp_path: Path, facts: dict[str, Any]
) -> None:
    given = [node(tmp_path / "a", 1), node(tmp_path / "b", 2, **facts)]
    (name,) = facts
    with pytest.raises(UsageError, match=f"different hardware .{name}.*--different-hardware"):
        merging.merge(given, tmp_path / "all")
    assert not (tmp_path / "all").exists()
    found = store.load_campaign(merging.merge(given, tmp_path / "all", different_hardware=True)).record
    (said,) = found.findings
    assert (said.code, said.severity) == (Code.NODES_DIFFER, Severity.WARNING) and said.message.startswith(
        name
    )


def test_other_energy_channels_are_another_hardware(tmp_path: Path) -> None:
    given = [node(tmp_path / "a", 1), node(tmp_path / "b", 2, replace(PLAN, meter="simulated"))]
    with pytest.raises(UsageError, match="energy channels"):
        merging.merge(given, tmp_path / "all")


def test_what_is_only_set_up_otherwise_is_merged_and_said(tmp_path: Path) -> None:
    given = [
        node(tmp_path / "a", 1, settings={"turbo": True, "aslr": 2}),
        node(tmp_path / "b", 2, kernel="6.9.0", settings={"turbo": False, "aslr": 2}),
    ]
    found = store.load_campaign(merging.merge(given, tmp_path / "all")).record
    assert {one.severity for one in found.findings} == {Severity.INFO}
    told = sorted(one.message.partition(":")[0] for one in found.findings)
    assert told == ["kernel", "turbo"]


def test_a_few_bytes_that_the_firmware_keeps_are_no_other_hardware(tmp_path: Path) -> None:
    given = [node(tmp_path / "a", 1), node(tmp_path / "b", 2, memory_bytes=16_000_004_096)]
    assert not store.load_campaign(merging.merge(given, tmp_path / "all")).record.findings


def until(campaign: Path) -> None:
    rule = {
        "margin": 0.02, "quantities": ["energy_j"], "reference": "torch 2.13.0", "method": "m", "looks": [1, 2],
        "alpha": 0.05, "spending": "pocock",
    }  # fmt: skip
    change(campaign, plan__until=rule)


@pytest.mark.parametrize(
    ("alter", "why"),
    [
        (lambda one: change(one, isolation="imported"), "was imported"),
        (lambda one: change(one, machine__anonymous=True), "is anonymous"),
        (lambda one: change(one, machine__machine_id=None), "does not tell which machine"),
        (until, "looked at its ratios"),
    ],
)
def test_what_cannot_be_merged_is_said(tmp_path: Path, alter: Callable[[Path], object], why: str) -> None:
    given = nodes(tmp_path, 2)
    alter(given[1])
    with pytest.raises(UsageError, match=f"cannot be merged: .*{why}"):
        merging.merge(given, tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_a_campaign_without_a_run_is_refused(tmp_path: Path) -> None:
    build(tmp_path / "a", replace(PLAN, unfinished=6))
    with pytest.raises(UsageError, match="it has no run"):
        merging.merge([tmp_path / "a", node(tmp_path / "b", 2)], tmp_path / "all")
