"""A campaign goes on only as the same measurement."""

from __future__ import annotations

import numpy as np
import pytest

from harness import resume
from harness.records import CampaignRecord
from tests.campaigns import Recipe, campaign_record, energy_channels

INSIDE = {"torch 2.13.0": {"image_id": "sha256:1", "packages": {"torch": "2.13.0"}, "started": "today"}}
MACHINE = {
    "hostname": "a",
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
    assert list(resume.changed_work(before, later, "s")) == []
    warmer = {**MACHINE, "governor": "performance"}
    assert list(resume.changed_machine(before, warmer, before.channels)) == []


def test_another_image_or_another_workload_is_another_measurement(before: CampaignRecord) -> None:
    rebuilt = {"torch 2.13.0": {**INSIDE["torch 2.13.0"], "image_id": "sha256:2"}}
    assert list(resume.changed_work(before, rebuilt, "s")) == ["the environment of torch 2.13.0 (image_id)"]
    assert list(resume.changed_work(before, INSIDE, "t")) == ["the workloads in suite/"]
    assert len(list(resume.changed_work(before, {}, "s"))) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hostname": "other"}, ["hostname"]),
        ({"kernel": "5", "memory_bytes": 1}, ["memory_bytes", "kernel"]),
        ({"gpus": [{"uuid": "GPU-1"}]}, ["the GPUs"]),
    ],
)
def test_another_machine_is_told_by_what_differs(
    before: CampaignRecord, change: dict[str, object], words: list[str]
) -> None:
    assert list(resume.changed_machine(before, {**MACHINE, **change}, before.channels)) == words


def test_a_meter_that_went_missing_is_another_boundary(before: CampaignRecord) -> None:
    assert list(resume.changed_machine(before, MACHINE, ())) == ["the channels of the run's energy"]
