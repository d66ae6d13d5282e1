"""Whoever watches a campaign learns what it waits for between its runs, before it waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.campaign import carrying_out
from harness.records import CoolDown, PlannedRun
from tests.harness.campaign.test_carrying_out import campaign, emulated  # noqa: F401 - the fixture of an emulated machine
from tests.observers import Silent

pytestmark = pytest.mark.unhurried


class Watcher(Silent):
    """Writes down waits and runs in their order."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def run_started(self, planned: PlannedRun) -> None:
        self.seen.append(f"run of block {planned.block}")

    def waiting(self, what: str) -> None:
        self.seen.append(what)


def test_baseline_pause_and_cool_down_are_told_before_the_run_they_precede(
    tmp_path: Path,
    emulated: object,  # noqa: F811
) -> None:
    one, watcher = campaign(tmp_path, behaviour="works-briefly"), Watcher()
    waits = {"idle_s": 0.1, "cool_down": CoolDown(power_band=0.5, at_least_s=0.1, at_most_s=2.0)}
    assert carrying_out.carry_out(replace(one, plan=one.plan.model_copy(update=waits)), watcher)
    assert watcher.seen == [
        "baseline", "pause", "cooling down", "run of block 1",
        "cooling down", "baseline", "pause", "cooling down", "run of block 2",
    ]  # fmt: skip


def test_what_is_not_waited_for_is_not_told(tmp_path: Path, emulated: object) -> None:  # noqa: F811
    one, watcher = campaign(tmp_path, behaviour="works-briefly"), Watcher()
    assert carrying_out.carry_out(one, watcher)
    assert watcher.seen == ["baseline", "run of block 1", "baseline", "run of block 2"]
