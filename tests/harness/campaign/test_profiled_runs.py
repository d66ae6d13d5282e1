"""Runs under the profiler within a campaign: after all others, looked at for real, taken up again as what they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness import meters, store
from harness.analysis import adaptive
from harness.campaign import carrying_out
from harness.campaign.planned import PlannedCampaign
from harness.planning import plan
from harness.profiling import spy_program, stacks_file, trace
from harness.profiling.spy_program import SpyFailed
from harness.records import Purpose, Treatment
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.campaign.test_carrying_out import POWER_MODEL, PROTOCOL
from tests.observers import Silent

pytestmark = pytest.mark.unhurried
VERSIONS = {"1.0": "works", "2.0": "works-briefly"}


@pytest.fixture(autouse=True)
def emulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))  # no data set by which samples are known
    monkeypatch.setattr(trace, "WORKER", "emulators/worker.py")
    with PowercapTree(tmp_path / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]):
        yield


def campaign(tmp_path: Path, blocks: int = 1, profile_runs: int = 1) -> PlannedCampaign:
    treatments = [
        Treatment(workload="svm", framework="sklearn", version=version, stage="train", dataset="digits")
        for version in VERSIONS
    ]
    protocol = PROTOCOL.model_copy(update={"repetitions": blocks, "baseline_s": 0.2})
    made = plan.make("quick", protocol, treatments, (), seed=1)
    made = made.model_copy(update={"profile_runs": profile_runs})
    environments = {("sklearn", version): EmulatedEnvironment(how) for version, how in VERSIONS.items()}
    found = meters.find_all(meters.configuration(POWER_MODEL))
    return PlannedCampaign(tmp_path / "campaign", made, environments, found)


def purposes(folder: Path) -> list[str]:
    return [str(run.record.planned.purpose) for run in store.load_campaign(folder).runs]


def test_they_come_last_and_alone_are_looked_at(tmp_path: Path) -> None:
    one = campaign(tmp_path)
    assert carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    assert [run.record.planned for run in read.runs] == list(read.record.order)
    assert purposes(one.folder) == ["measure", "measure", "profile", "profile"]
    for run in read.runs:
        looked_at = run.record.planned.purpose == Purpose.PROFILE
        assert (run.folder / stacks_file.STACKS_FILE).exists() == looked_at
        assert run.record.profiler.get("capabilities_added") == ([] if looked_at else None)
        assert store.baseline_path(one.folder, run.record.planned.block).exists()


def test_one_that_is_missing_is_taken_up_again_as_what_it_is(tmp_path: Path) -> None:
    class Killed(Silent):
        def run_finished(self, record: object) -> None:
            if len(purposes(one.folder)) == 3:
                raise KeyboardInterrupt

    one = campaign(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        carrying_out.carry_out(one, Killed())
    assert purposes(one.folder) == ["measure", "measure", "profile"]
    assert carrying_out.resume(one, Silent())
    assert purposes(one.folder) == ["measure", "measure", "profile", "profile"]
    assert all((run / stacks_file.STACKS_FILE).exists() for run in one.folder.glob("runs/*-profile"))


def test_a_campaign_that_stops_early_still_has_them_and_no_look_counts_them(tmp_path: Path) -> None:
    one = campaign(tmp_path, blocks=10)
    until = adaptive.declare(one.plan.treatments, 0.05, 10)
    one = replace(one, plan=one.plan.model_copy(update={"until": until}))
    assert carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    assert read.stop is not None and read.stop.blocks < 10
    assert [run.record.planned for run in read.runs] == list(read.order)
    assert purposes(one.folder) == ["measure"] * 2 * read.stop.blocks + ["profile"] * 2
    assert carrying_out.resume(one, Silent())  # nothing is missing
    assert len(purposes(one.folder)) == len(read.runs)


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may look at any process."""

    def refuse(pid: int, native: bool) -> None:
        raise SpyFailed("py-spy cannot look at the worker's stack: ask root")

    monkeypatch.setattr(spy_program, "look_once", refuse)


@pytest.mark.usefixtures("blind")
def test_where_nobody_may_look_nothing_is_begun(tmp_path: Path) -> None:
    one = campaign(tmp_path)
    with pytest.raises(SpyFailed, match="ask root"):
        carrying_out.carry_out(one, Silent())
    assert not one.folder.exists()


@pytest.mark.usefixtures("blind")
def test_where_no_run_is_profiled_nobody_need_look(tmp_path: Path) -> None:
    assert carrying_out.carry_out(campaign(tmp_path, profile_runs=0), Silent())
