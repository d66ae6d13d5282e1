"""The harness is killed at random moments, over and over: no orphan, no lost run, no half-written record."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from harness import meters, store
from harness.campaign import carrying_out
from harness.campaign.planned import PlannedCampaign
from harness.environments.process import MARK
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import Outcome, PowerModel, Treatment
from harness.sampling import reading
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.observers import Silent

pytestmark = pytest.mark.unhurried
LONGEST_S = 1.3  # until the kill: the sampler's start, a baseline, and a run or two
ENDS_WITHIN_S = 5.0
POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=8)
PROTOCOL = Protocol(
    repetitions=6,
    sample_period_s=0.05,
    baseline_s=0.05,
    run_timeout_s=30,
    expected_run_s=1,
    power_model=POWER_MODEL,
)
FORK = multiprocessing.get_context("fork")  # a child is at work at once: it imports nothing


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    monkeypatch.setenv(
        "JOULEMARK_HOME", str(tmp_path / "home")
    )  # no data set by which a plan's samples are known
    monkeypatch.setenv("JOULEMARK_LOCK", str(tmp_path / "campaign.lock"))
    with PowercapTree(tmp_path / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]):
        yield tmp_path


def campaign(folder: Path) -> PlannedCampaign:
    treatments = [
        Treatment(workload="svm", framework="sklearn", version=version, stage="train", dataset="digits")
        for version in ("1.0", "2.0")
    ]
    made = plan.make("quick", PROTOCOL, treatments, (), seed=1)
    environment = EmulatedEnvironment("works-briefly")
    found = meters.find_all(meters.configuration(POWER_MODEL))
    return PlannedCampaign(
        folder, made, {("sklearn", "1.0"): environment, ("sklearn", "2.0"): environment}, found
    )


def go_on(one: PlannedCampaign) -> None:
    """In a process of its own: begins the campaign or resumes it."""
    begun = (one.folder / store.CAMPAIGN_FILE).exists()
    all_count = carrying_out.resume(one, Silent()) if begun else carrying_out.carry_out(one, Silent())
    os._exit(0 if all_count else 1)


def killed_after(one: PlannedCampaign, delay_s: float) -> bool:
    """Whether the campaign was still under way when it was killed."""
    child = FORK.Process(target=go_on, args=(one,))
    child.start()
    child.join(delay_s)
    alive = child.is_alive()
    child.kill()
    child.join()
    assert alive or child.exitcode == 0
    return alive


def whole_runs(folder: Path) -> dict[str, str]:
    """What a reader sees, each with a hash over all of its files."""
    if not (folder / store.CAMPAIGN_FILE).exists():
        return {}
    found = {}
    for run in store.load_campaign(folder).runs:
        assert reading.read(run.samples_path, run.record.channels)
        assert run.record.outcome is Outcome.OK
        content = b"".join(path.read_bytes() for path in sorted(run.folder.iterdir()) if path.is_file())
        found[run.record.planned.run_id] = hashlib.sha256(content).hexdigest()
    return found


def left_behind(machine: Path) -> list[psutil.Process]:
    """Workers and samplers of this machine that are alive: by the folder that they work in, by their lock."""
    found = []
    for process in psutil.process_iter():
        try:
            variables, place = process.environ(), Path(process.cwd())
            is_worker = MARK in variables and place.is_relative_to(machine)
            is_ours = is_worker or variables.get("JOULEMARK_LOCK") == str(machine / "campaign.lock")
            if is_ours and process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize(
    "count", [60, pytest.param(500, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)
def test_random_kills_lose_nothing_and_leave_nothing(machine: Path, count: int) -> None:
    draw = random.Random(2022)
    template, kills, number = campaign(machine / "0"), 0, 0
    while kills < count:
        one = replace(template, folder=machine / str(number))
        seen: dict[str, str] = {}
        while kills < count and killed_after(one, draw.uniform(0, LONGEST_S)):
            kills += 1
            now = whole_runs(one.folder)
            assert seen.items() <= now.items(), "a completed run was lost or changed"
            seen = now
        finish(one, seen)
        number += 1
    deadline = time.monotonic() + ENDS_WITHIN_S
    while orphans := left_behind(machine):
        assert time.monotonic() < deadline, f"left behind: {orphans}"
        time.sleep(0.1)
    print(f"{kills} kills over {number} campaigns")


def finish(one: PlannedCampaign, seen: dict[str, str]) -> None:
    """Undisturbed, the campaign ends with the full plan, in the order that was written down."""
    assert not killed_after(one, 120)
    assert seen.items() <= whole_runs(one.folder).items()
    read = store.load_campaign(one.folder)
    assert [run.record.planned for run in read.runs] == list(read.record.order) == list(one.order)
    assert list((one.folder / store.UNFINISHED).iterdir()) == []
