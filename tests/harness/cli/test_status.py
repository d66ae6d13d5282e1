"""How far a campaign is, asked while it really runs, after it was broken off and when it is complete."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness import store
from harness.campaign import carrying_out, lock
from harness.campaign.planned import PlannedCampaign
from harness.cli import live_lines
from harness.records import Finding, PlannedRun, Until
from tests.campaigns import Recipe, build
from tests.harness.campaign.test_carrying_out import campaign, emulated  # noqa: F401 - the fixture of an emulated machine
from tests.harness.cli.conftest import Answer
from tests.observers import Silent

Suite = Callable[..., Answer]
WARM = Finding(severity="warning", code="warm", message="it was warm", advice="open a window")


class Watcher(Silent):
    """Knows which run is under way."""

    def __init__(self) -> None:
        self.started: list[PlannedRun] = []

    def run_started(self, planned: PlannedRun) -> None:
        self.started.append(planned)


@pytest.fixture
def running(tmp_path: Path, emulated: object) -> Iterator[tuple[PlannedCampaign, Watcher]]:  # noqa: F811
    """Two runs of five seconds each, carried out in another thread; the second one is under way."""
    one, watcher = campaign(tmp_path, behaviour="works-long"), Watcher()
    thread = threading.Thread(target=carrying_out.carry_out, args=[one, watcher])
    thread.start()
    deadline_s = time.monotonic() + 60
    while len(watcher.started) < 2 and time.monotonic() < deadline_s:
        time.sleep(0.05)
    yield one, watcher
    thread.join()


def trains(one: PlannedCampaign) -> bool:
    current = store.run_under_way(one.folder)
    return current is not None and any("train" in (live_lines.phase(event) or "") for event in current.events)


@pytest.mark.unhurried
def test_a_campaign_that_runs_says_which_run_and_phase_it_is_in_and_when_it_ends(
    running: tuple[PlannedCampaign, Watcher], suite: Suite
) -> None:
    one, watcher = running
    deadline_s = time.monotonic() + 60
    while not trains(one) and time.monotonic() < deadline_s:  # the worker starts up and imports first
        time.sleep(0.05)
    lines = suite("status", one.folder).out.splitlines()
    assert lines[0] == "campaign: under way, 1 of 2 runs done"
    assert lines[1] == "1 ok"
    assert re.fullmatch(r"findings: none|findings: \d+ warnings?", lines[2])
    assert lines[3] == f"now: {watcher.started[1].run_id}, block 2, train epoch 1"
    left_s = int(re.fullmatch(r"ETA 0:(\d\d)", lines[4])[1])
    assert 1 <= left_s <= 8
    assert len(list((one.folder / store.RUNS).iterdir())) == 1, "it was asked while the second run ran"


def test_between_two_runs_it_says_so(tmp_path: Path, suite: Suite) -> None:
    one = build(tmp_path / "c", Recipe(unfinished=2))
    with lock.hold(one.folder):
        out = suite("status", one.folder).out
    assert "under way, 4 of 6 runs done\n4 ok\nfindings: none\nnow: between two runs\nETA 0:" in out
    assert re.search(r"ETA 0:\d\d \(0:\d\d to 0:\d\d\)\n", out)


@pytest.mark.parametrize(("unfinished", "state"), [(0, "complete, 6 of 6"), (1, "interrupted, 5 of 6")])
def test_a_campaign_at_rest_is_complete_or_interrupted_and_has_no_eta(
    unfinished: int, state: str, tmp_path: Path, suite: Suite
) -> None:
    one = build(tmp_path / "c", Recipe(unfinished=unfinished, run_findings=(WARM,)))
    out = suite("status", one.folder).out
    assert f"{state} runs done" in out
    assert f"findings: {6 - unfinished} warnings\n" in out
    assert "ETA" not in out
    assert "now:" not in out


def test_what_a_budget_had_no_time_for_was_not_interrupted(tmp_path: Path, suite: Suite) -> None:
    one = build(tmp_path / "c", Recipe(unfinished=3))
    until = Until(
        margin=0.02, quantities=("energy_j",), reference="torch 2.13.0", method="mean", looks=(3,), alpha=0.05,
        spending="pocock",
    )  # fmt: skip
    plan = one.record.plan.model_copy(update={"turns": ("mnist_cnn",), "until": until})
    store.write_record(one.folder / store.CAMPAIGN_FILE, one.record.model_copy(update={"plan": plan}))
    assert "open, 3 of 4 runs done" in suite("status", one.folder).out
