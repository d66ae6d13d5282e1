"""Runs whose native frames were seen beside runs of Python's alone: named so, and never held against each other."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from harness import store
from harness.analysis import campaigns_apart
from harness.analysis.profile_pairs import pairs
from harness.analysis.profiled import Profiles
from harness.analysis.summary import analyse
from harness.errors import UsageError
from harness.records import PlannedRun, Profiler
from harness.store import Campaign, Run
from reports.render import render
from tests.campaigns import Recipe
from tests.harness.profiling.native_program import HOSTILE
from tests.profiled import build_profiled

NATIVE = "with native frames"
MARKED = "burn [native] (libburn.so)"


def stacks(run: Run) -> list[str]:
    main = "<module> (suite/run.py);step (suite/trainers/torch_trainer.py)"
    name = HOSTILE.replace(";", ",").replace(" [native] (c)", "")
    return [f"{main};{MARKED}"] * 20 + [f"{main};{name} [native] (libevil.so)"] * 20 + [main] * 5


def natively(planned: PlannedRun, blocks: Collection[int]) -> PlannedRun:
    return planned.model_copy(update={"profiler": Profiler.NATIVE}) if planned.block in blocks else planned


def made(folder: Path, *native_blocks: int) -> Campaign:
    """Two blocks, of which these were looked at with native frames."""
    campaign = build_profiled(folder, Recipe(frameworks={"torch": 1.0, "jax": 1.2}, blocks=2), stacks)
    for run in campaign.runs:
        planned = natively(run.record.planned, native_blocks)
        store.write_record(run.folder / store.RUN_FILE, run.record.model_copy(update={"planned": planned}))
    order = tuple(natively(one, native_blocks) for one in campaign.record.order)
    store.write_record(folder / store.CAMPAIGN_FILE, campaign.record.model_copy(update={"order": order}))
    return store.load_campaign(folder)


def test_runs_of_one_kind_are_held_against_each_other_alone(tmp_path: Path) -> None:
    campaign = made(tmp_path / "c", 2)
    profiles = Profiles(campaign)
    assert len(profiles.told) == 4
    assert [one.names for one in pairs(profiles, analyse(campaign).reference)] == [
        ("torch 2.13.0", "jax 0.10.2"), (f"torch 2.13.0, {NATIVE}", f"jax 0.10.2, {NATIVE}"),
    ]  # fmt: skip


def test_campaigns_of_different_kinds_have_no_difference(tmp_path: Path) -> None:
    native, python = Profiles(made(tmp_path / "new", 1, 2)), Profiles(made(tmp_path / "old"))
    assert len(campaigns_apart.apart(native, native)) == 2
    with pytest.raises(UsageError, match="different work"):
        campaigns_apart.apart(native, python)


@pytest.mark.unhurried
def test_the_page_marks_them_and_runs_nothing_of_a_name(tmp_path: Path) -> None:
    page = render(made(tmp_path / "c", 1, 2))
    assert "burn [native] libburn.so" in page and NATIVE in page
    assert "<img src=x" not in page
