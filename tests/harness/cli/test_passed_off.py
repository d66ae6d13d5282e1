"""A run under a profiler that is edited to pass for a measured one: no command takes it, and each says which it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import store
from harness.errors import CampaignError
from harness.merging import given
from harness.profiling.function_files import CALLS_FILE, FUNCTIONS_FILE
from harness.profiling.operator_files import OPERATORS_FILE
from harness.profiling.stacks_file import STACKS_FILE
from harness.records import PlannedRun, Profiler, Purpose
from harness.store import Campaign
from tests.campaigns import Recipe, build

Edit = Callable[[dict[str, Any]], object]
RECIPE = Recipe(blocks=2, profile_runs=1, meter="rapl")
PROFILED = "003-000-torch-train"


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return build(tmp_path / "campaign", RECIPE)


def edit(path: Path, change: Edit) -> None:
    told = json.loads(path.read_text())
    change(told)
    path.write_text(json.dumps(told))


def as_measured(planned: dict[str, Any]) -> None:
    planned["purpose"] = "measure"


def of_a_run(change: Edit) -> Callable[[Path], None]:
    return lambda folder: edit(folder / "runs" / PROFILED / "run.json", change)


def of_the_order(folder: Path) -> None:
    edit(
        folder / "campaign.json",
        lambda told: [as_measured(one) for one in told["order"] if one["purpose"] == "profile"],
    )


def everywhere(left: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        of_the_order(folder)
        for path in folder.glob("runs/*/run.json"):
            edit(path, lambda told: as_measured(told["planned"]))
        (folder / "runs" / PROFILED / left).touch()

    return change


EDITED = {
    "its run": (
        of_a_run(lambda told: as_measured(told["planned"])),
        "for purpose 'profile', and .* 'measure'",
    ),
    "spelled otherwise": (of_a_run(lambda told: told["planned"].update(purpose="Profile")), "says 'Profile'"),
    "under another tool": (
        of_a_run(lambda told: told["planned"].update(profiler="cprofile")),
        "'profile, cpr",
    ),
    "the order": (of_the_order, "for purpose 'measure', and its run.json says 'profile'"),
    "a measured one, to be rid of it": (
        lambda folder: edit(
            next(folder.glob("runs/001-*-torch-train/run.json")),
            lambda told: told["planned"].update(purpose="profile"),
        ),
        "for purpose 'measure', and its run.json says 'profile'",
    ),
    "but what looked": (
        of_a_run(lambda told: (as_measured(told["planned"]), told.update(profiler={"tool": "py-spy"}))),
        "a profiler looked at it, and it is of purpose measure",
    ),
    "but its tool": (
        of_a_run(lambda told: told["planned"].update(purpose="measure", profiler="operators")),
        "it has a profiler",
    ),
    **{
        f"but {left}": (everywhere(left), f"has {left}, as profiled runs alone do")
        for left in (STACKS_FILE, FUNCTIONS_FILE, CALLS_FILE, OPERATORS_FILE)
    },
}


@pytest.mark.parametrize("what", EDITED)
def test_it_is_not_read(campaign: Campaign, what: str) -> None:
    change, words = EDITED[what]
    change(campaign.folder)
    with pytest.raises(CampaignError, match=words) as found:
        store.load_campaign(campaign.folder)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("what", EDITED)
def test_it_is_not_merged(campaign: Campaign, what: str) -> None:
    change, words = EDITED[what]
    change(campaign.folder)
    with pytest.raises(CampaignError, match=words):
        list(given.read(campaign.folder))


@pytest.mark.unhurried
@pytest.mark.parametrize("command", ["report", "compare", "gate", "export", "statistics"])
def test_no_command_takes_it(
    refused: Callable[..., str], campaign: Campaign, tmp_path: Path, command: str
) -> None:
    other = build(tmp_path / "other", RECIPE).folder
    of_a_run(lambda told: as_measured(told["planned"]))(campaign.folder)
    words: dict[str, tuple[Any, ...]] = {
        "compare": (campaign.folder, other),
        "gate": (campaign.folder, other, "--max-increase", "5%"),
        "export": (campaign.folder, "--format", "csv", "-o", tmp_path / "out"),
    }
    assert PROFILED in refused(command, *words.get(command, (campaign.folder,)))
    assert not (tmp_path / "out").exists()


def test_as_it_was_made_it_is_read(campaign: Campaign) -> None:
    (campaign.folder / "runs" / PROFILED / STACKS_FILE).touch()
    purposes = [run.record.planned.purpose for run in store.load_campaign(campaign.folder).runs]
    assert purposes.count(Purpose.PROFILE) == len(RECIPE.frameworks)
    (one,) = given.read(campaign.folder)
    assert all(run.planned.purpose == Purpose.MEASURE for run in one.runs)


def test_a_record_of_a_measured_run_has_no_profiler(campaign: Campaign) -> None:
    measured = campaign.record.order[0]
    with pytest.raises(ValueError, match="it has a profiler"):
        PlannedRun.model_validate({**measured.model_dump(), "profiler": Profiler.PY_SPY})
