"""A run that contradicts its campaign's plan is not read: not another treatment, block or purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import store
from harness.as_planned import LEFT_BY_PROFILERS, require_as_planned, require_nothing_of_a_profiler
from harness.errors import CampaignError
from harness.records import PlannedRun, Profiler, Purpose, Treatment
from tests.campaigns import Recipe, build

FOLDER = Path("c")


def planned(**other: Any) -> PlannedRun:
    treatment = Treatment(workload="svm", framework="sklearn", version="1", stage="train", dataset="digits")
    told = {"run_id": "0001", "block": 1, "position": 1, "repetition": 1, "treatment": treatment}
    return PlannedRun(**{**told, **other})


ANOTHER = planned().treatment.model_copy(update={"version": "2"})


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"block": 2}, "run 0001 has another block than campaign.json plans"),
        ({"treatment": ANOTHER}, "run 0001 has another treatment than campaign.json plans"),
        ({"purpose": Purpose.PROFILE}, "planned for purpose 'measure', and its run.json says 'profile'"),
    ],
)
def test_what_was_changed_on_either_side_is_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(CampaignError, match=words):
        require_as_planned(FOLDER, [planned()], [planned(**changed)])
    with pytest.raises(CampaignError):
        require_as_planned(FOLDER, [planned(**changed)], [planned()])


def test_runs_under_two_profilers_are_two() -> None:
    one, other = (planned(purpose=Purpose.PROFILE, profiler=tool) for tool in list(Profiler)[:2])
    require_as_planned(FOLDER, [one], [one])
    with pytest.raises(CampaignError, match="profile, "):
        require_as_planned(FOLDER, [one], [other])


def test_a_merged_run_keeps_its_own_number_of_a_block_but_not_a_profiler() -> None:
    require_as_planned(FOLDER, [planned()], [planned(block=2)], renumbered=True)
    with pytest.raises(CampaignError):
        require_as_planned(FOLDER, [planned()], [planned(purpose=Purpose.PROFILE)], renumbered=True)


def test_a_run_that_nobody_planned_is_another_check_s() -> None:
    require_as_planned(FOLDER, [planned()], [planned(run_id="0002", block=9)])


@pytest.mark.parametrize("left", LEFT_BY_PROFILERS)
def test_a_measured_run_has_nothing_of_a_profiler(tmp_path: Path, left: str) -> None:
    require_nothing_of_a_profiler(tmp_path, planned())
    (tmp_path / left).touch()
    require_nothing_of_a_profiler(tmp_path, planned(purpose=Purpose.PROFILE))
    with pytest.raises(CampaignError, match=left):
        require_nothing_of_a_profiler(tmp_path, planned())


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("block", lambda planned: planned.update(block=planned["block"] + 1)),
        ("treatment", lambda planned: planned["treatment"].update(version="0.1")),
    ],
)
def test_such_a_campaign_is_not_read(
    tmp_path: Path, key: str, change: Callable[[dict[str, Any]], object]
) -> None:
    build(tmp_path / "c", Recipe())
    path = sorted((tmp_path / "c" / store.RUNS).glob("*/run.json"))[-1]
    run = json.loads(path.read_text())
    change(run["planned"])
    path.write_text(json.dumps(run))
    with pytest.raises(CampaignError, match=f"has another {key} than campaign.json plans under this name"):
        store.load_campaign(tmp_path / "c")


def test_a_workload_renamed_in_the_campaign_s_file_is_not_read(tmp_path: Path) -> None:
    build(tmp_path / "c", Recipe())
    path = tmp_path / "c" / store.CAMPAIGN_FILE
    path.write_text(path.read_text().replace('"mnist_cnn"', '"mnist_mlp"'))
    with pytest.raises(CampaignError, match="another treatment"):
        store.load_campaign(tmp_path / "c")
