"""What happens around the measured runs: rehearsals, control runs, warmed caches; with the real worker."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness import meters, store
from harness.analysis.summary import Analysis, analyse
from harness.analysis.tables import tables
from harness.campaign import carrying_out, steps
from harness.campaign.planned import PlannedCampaign
from harness.datasets import prepared, source
from harness.environments.frameworks import framework
from harness.environments.interpreter import InterpreterEnvironment
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import CoolDown, Outcome, PlannedRun, PowerModel, Treatment
from reports.render import render
from suite.protocol import CONTROL, REHEARSAL
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.observers import Silent

pytestmark = pytest.mark.unhurried
WATTS = 50.0
BLOCKS = 2
PROTOCOL = Protocol(
    repetitions=BLOCKS,
    sample_period_s=0.05,
    baseline_s=0.5,
    run_timeout_s=60,
    expected_run_s=1,
    power_model=PowerModel(idle_w=10, busy_cpu_w=8),
    rehearse=True,
    control_rounds=2_000_000,
)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("machine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOULEMARK_HOME", str(folder / "home"))
        patch.setenv("JOULEMARK_POWERCAP_ROOT", str(folder / "powercap"))
        prepared.prepare(source("digits"), Path())
        with PowercapTree(folder / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(WATTS))]):
            yield folder


def planned(folder: Path, protocol: Protocol, environment: Any) -> PlannedCampaign:
    treatment = Treatment(
        workload="svm", framework="sklearn", version=environment.version, stage="train", dataset="digits"
    )
    made = plan.make("quick", protocol, [treatment], (), seed=1)
    found = meters.find_all(meters.configuration(PROTOCOL.power_model))
    return PlannedCampaign(folder, made, {("sklearn", environment.version): environment}, found)


@pytest.fixture(scope="module")
def measured(machine: Path) -> store.Campaign:
    environment = InterpreterEnvironment(framework("sklearn"), sys.executable)
    environment.prepare()
    one = planned(machine / "campaign", PROTOCOL, environment)
    assert carrying_out.carry_out(one, Silent())
    return store.load_campaign(one.folder)


@pytest.fixture(scope="module")
def analysis(measured: store.Campaign) -> Analysis:
    return analyse(measured)


def test_a_rehearsal_comes_first_then_each_block_opens_with_a_control_run(measured: store.Campaign) -> None:
    found = [(run.record.planned.purpose, run.record.planned.treatment.stage) for run in measured.runs]
    block = [("control", CONTROL), ("measure", "train")]
    assert found == [("warm-up", REHEARSAL), *block * BLOCKS]


def test_a_rehearsal_reads_what_a_run_reads_and_computes_nothing(measured: store.Campaign) -> None:
    phases = tables(measured).phases
    rehearsed = phases[phases["run_id"] == "warm-up-001"]["phase"].tolist()
    assert rehearsed == ["startup", "import", "load"]


def test_idle_container_and_control_work_are_known_for_each_block(analysis: Analysis) -> None:
    before = analysis.baselines
    assert before.index.tolist() == [1, 2]
    watts = before[["idle_power_w", "container_idle_power_w"]].to_numpy()
    assert watts == pytest.approx(WATTS, rel=0.05)
    power_w = before["control_energy_j"] / before["control_duration_s"]
    assert power_w.tolist() == pytest.approx([WATTS] * BLOCKS, rel=0.05)


def test_no_figure_holds_a_control_run(analysis: Analysis) -> None:
    assert set(analysis.counted["purpose"]) == {"measure"}
    assert analysis.costs.set_index("quantity").loc["energy_j", "n"] == BLOCKS
    excluded = dict(zip(analysis.excluded["run_id"], analysis.excluded["exclusion"], strict=True))
    assert excluded["warm-up-001"] == "warm-up run"
    assert "control run" in excluded.values()


def test_the_report_shows_the_machine_before_each_block(measured: store.Campaign) -> None:
    page = render(measured)
    assert "The machine before each block" in page
    assert "Idle container" in page


def test_the_state_of_the_machine_is_kept_with_each_run(measured: store.Campaign) -> None:
    size = sum(path.stat().st_size for path in prepared.folder("digits").glob("*.npy"))
    for run in measured.runs:
        assert run.record.conditions["data_read_bytes"] == size
        assert run.record.conditions["memory_available_bytes"] > 0
        assert run.record.conditions["gpus"] == []


@pytest.fixture
def emulated(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose worker takes no samples: nobody knows which it should have taken."""
    monkeypatch.setattr(prepared, "train_samples", lambda name: None)


def test_a_control_run_that_fails_stops_nothing_and_leaves_the_block_unknown(
    emulated: None, tmp_path: Path
) -> None:
    one = planned(tmp_path / "campaign", PROTOCOL, EmulatedEnvironment("fails"))
    assert not carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    assert len(read.runs) == 1 + len(one.order)
    assert analyse(read).baselines[["container_idle_power_w", "control_energy_j"]].isna().all(axis=None)


class KillsTheSampler(Silent):
    """As often as the campaign waits for this, and those that are started in its place until the run begins."""

    def __init__(self, reason: str, again: bool) -> None:
        self.reason, self.again, self.waits, self.begun = reason, again, 0, threading.Event()

    def waiting(self, what: str) -> None:
        if what == self.reason:
            self.waits += 1
            self.begun.clear()
            threading.Timer(0.2, self.kill).start()

    def run_started(self, planned: PlannedRun) -> None:
        self.begun.set()

    def kill(self) -> None:
        while not self.begun.is_set():
            for process in psutil.Process().children():
                with suppress(psutil.Error):  # it has gone by itself
                    if "harness.sampling.server" in process.cmdline():
                        process.kill()
            if not self.again:
                return


@pytest.mark.parametrize("reason", ["baseline", "cooling down"])
def test_a_sampler_that_dies_between_runs_ends_no_campaign(
    emulated: None, tmp_path: Path, reason: str
) -> None:
    bare = planned(tmp_path / "campaign", PROTOCOL, EmulatedEnvironment("works-briefly"))
    rule = CoolDown(power_band=0.5, at_least_s=5.0 if reason == "cooling down" else 0.1, at_most_s=1)
    changed = {"rehearse": False, "control_rounds": 0, "cool_down": rule}
    one = replace(bare, plan=bare.plan.model_copy(update=changed))
    observer = KillsTheSampler(reason, again=reason == "cooling down")
    assert carrying_out.carry_out(one, observer)
    # before each run, and before each baseline but the first, which tells what rest is
    assert observer.waits == {"baseline": BLOCKS, "cooling down": 2 * BLOCKS - 1}[reason]
    runs = store.load_campaign(one.folder).runs
    assert [run.record.outcome for run in runs] == [Outcome.OK] * BLOCKS
    unseen = ["cool-down-unseen" in [finding.code for finding in run.record.findings] for run in runs]
    assert unseen == [reason == "cooling down"] * BLOCKS


def test_a_plan_without_control_work_has_no_such_runs(emulated: None, tmp_path: Path) -> None:
    bare = replace(planned(tmp_path / "c", PROTOCOL, EmulatedEnvironment("works-briefly")))
    one = replace(bare, plan=bare.plan.model_copy(update={"rehearse": False, "control_rounds": 0}))
    assert carrying_out.carry_out(one, Silent())
    read = store.load_campaign(one.folder)
    assert [run.record.outcome for run in read.runs] == [Outcome.OK] * BLOCKS
    assert "The machine before each block" not in render(read)


def test_a_link_in_the_place_of_a_trained_state_is_none(tmp_path: Path) -> None:
    """A container would see what it leads to."""
    (tmp_path / "own").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "own")
    found = [steps._is_own_file(tmp_path / name) for name in ("own", "link", "absent")]
    assert found == [True, False, False]
