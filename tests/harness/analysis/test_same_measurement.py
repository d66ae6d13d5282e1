"""A campaign goes on only as the same measurement."""

from __future__ import annotations

import numpy as np
import pytest

from harness.analysis import same_measurement
from harness.records import CampaignRecord
from tests.campaigns import Recipe, campaign_record, energy_channels

LABELS = {"org.joulemark.base-digest": "sha256:b", "org.joulemark.base": "joulemark/base:bookworm"}
INSIDE = {
    "torch 2.13.0": {
        "image_id": "sha256:1",
        "lock_sha256": "l",
        "packages": {"torch": "2.13.0"},
        "labels": LABELS,
        "started": "today",
    }
}
MACHINE = {
    "machine_id": "a",
    "cpu_model": "b",
    "logical_cpus": 2,
    "memory_bytes": 3,
    "kernel": "4",
    "governor": "x",
}


@pytest.fixture
def before() -> CampaignRecord:
    changes = {
        "environments": INSIDE,
        "suite_sha256": "s",
        "machine": MACHINE,
        "channels": energy_channels("rapl"),
    }
    return campaign_record(Recipe(), np.random.default_rng(0)).model_copy(update=changes)


def test_nothing_changed_is_no_obstacle(before: CampaignRecord) -> None:
    later = {"torch 2.13.0": {**INSIDE["torch 2.13.0"], "started": "tomorrow"}}
    assert changed_work(before, environments=later) == []
    warmer = {**MACHINE, "governor": "performance"}
    assert list(same_measurement.changed_machine(before, warmer, before.channels)) == []


def test_an_image_that_was_built_anew_of_the_same_is_no_obstacle(before: CampaignRecord) -> None:
    """Its id holds the time of its making."""
    rebuilt = {"torch 2.13.0": {**INSIDE["torch 2.13.0"], "image_id": "sha256:2"}}
    assert changed_work(before, environments=rebuilt) == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"lock_sha256": "m"}, "lock_sha256"),
        ({"packages": {"torch": "2.13.1"}}, "packages"),
        ({"labels": {**LABELS, "org.joulemark.base-digest": "sha256:c"}}, "base"),
    ],
)
def test_other_ingredients_are_another_measurement(
    before: CampaignRecord, change: dict[str, object], named: str
) -> None:
    now = {"torch 2.13.0": {**INSIDE["torch 2.13.0"], **change}}
    assert changed_work(before, environments=now) == [f"the environment of torch 2.13.0 ({named})"]


def test_another_workload_is_another_measurement(before: CampaignRecord) -> None:
    assert changed_work(before, suite_sha256="t") == ["the workloads in suite/"]
    assert len(changed_work(before, environments={})) == 1


def test_other_data_of_the_same_name_is_another_measurement(before: CampaignRecord) -> None:
    before = before.model_copy(update={"datasets": {"digits": "a" * 64, "mnist": "b" * 64}})
    assert changed_work(before, datasets={"digits": "c" * 64}) == ["the data of digits"]
    assert changed_work(before, datasets={}) == []  # of before there were checksums


def changed_work(before: CampaignRecord, **changes: object) -> list[str]:
    return list(same_measurement.changed_work(before, before.model_copy(update=changes)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"machine_id": "other"}, ["machine_id"]),
        ({"kernel": "5", "memory_bytes": 1}, ["memory_bytes", "kernel"]),
        ({"gpus": [{"uuid": "GPU-1"}]}, ["the GPUs"]),
    ],
)
def test_another_machine_is_told_by_what_differs(
    before: CampaignRecord, change: dict[str, object], words: list[str]
) -> None:
    assert list(same_measurement.changed_machine(before, {**MACHINE, **change}, before.channels)) == words


def test_a_meter_that_went_missing_is_another_boundary(before: CampaignRecord) -> None:
    assert list(same_measurement.changed_machine(before, MACHINE, ())) == ["the channels of the run's energy"]


def named(before: CampaignRecord, name: str) -> CampaignRecord:
    """As campaigns were recorded before there was a machine_id."""
    machine = {key: value for key, value in MACHINE.items() if key != "machine_id"}
    return before.model_copy(update={"machine": {**machine, "hostname": name}})


def test_an_old_campaign_that_holds_a_host_s_name_is_held_against_this_host_s(before: CampaignRecord) -> None:
    here = {**MACHINE, "hostname": "bench"}
    assert list(same_measurement.changed_machine(named(before, "bench"), here, before.channels)) == []
    assert list(same_measurement.changed_machine(named(before, "other"), here, before.channels)) == [
        "machine_id"
    ]


def test_a_record_that_tells_no_name_is_not_taken_for_the_same_machine(before: CampaignRecord) -> None:
    """Two of a cluster's nodes are alike in all else."""
    assert list(same_measurement.changed_machine(named(before, "bench"), MACHINE, before.channels)) == [
        "machine_id"
    ]


def test_an_anonymous_campaign_goes_on_where_the_machine_is_like_it(before: CampaignRecord) -> None:
    gpu = {"name": "Example GPU", "uuid": "GPU-1"}
    machine = {**MACHINE, "machine_id": None, "anonymous": True, "gpus": [{**gpu, "uuid": "gpu-0"}]}
    one = before.model_copy(update={"machine": machine})
    assert list(same_measurement.changed_machine(one, {**MACHINE, "gpus": [gpu]}, one.channels)) == []
    other = {**MACHINE, "kernel": "5", "gpus": [{**gpu, "name": "Another GPU"}]}
    assert list(same_measurement.changed_machine(one, other, one.channels)) == ["kernel", "the GPUs"]
