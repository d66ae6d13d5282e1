"""A run ends in a record whatever the worker does, and leaves no process behind. Real processes throughout."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import psutil
import pytest

from harness.campaign.equipment import Equipment
from harness.campaign.execution import Execution
from harness.findings.codes import Code
from harness.inventory import specs
from harness.meters import configuration, find_all
from harness.records import Limits, Outcome, PlannedRun, PowerModel, RunRecord, Treatment
from harness.sampling.client import Sampler
from harness.store import SAMPLES_FILE
from suite.protocol import EXIT_LEASE_LOST
from suite.task import Metric
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.toys.reciter.spec import Reciter

pytestmark = pytest.mark.unhurried

TREATMENT = Treatment(workload="w", framework="f", version="1", stage="train", dataset="digits")
PLANNED = PlannedRun(run_id="0001", block=1, position=1, repetition=1, treatment=TREATMENT)


POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=8)
ZONE = "intel-rapl:0"


@pytest.fixture(autouse=True)
def emulated_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without RAPL, unless the test puts an emulated tree there."""
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    monkeypatch.setenv(
        "JOULEMARK_HOME", str(tmp_path / "home")
    )  # no data set by which a plan's samples are known


def execution(tmp_path: Path, behaviour: str = "works", timeout_s: float = 20) -> Execution:
    equipment = Equipment(
        campaign_id="c",
        environment=EmulatedEnvironment(behaviour),
        meters=find_all(configuration(POWER_MODEL)),
        folder=tmp_path / "run",
        data=tmp_path,
        state=None,
        cpus=(min(os.sched_getaffinity(0)),),
        seed=1,
        sampler=Sampler(POWER_MODEL, 0.05),
        timeout_s=timeout_s,
        metric=Metric("accuracy", "accuracy"),
        quality_floor={"digits": 0.97},
        limits=Limits(),
    )
    return Execution(PLANNED, equipment)


def descendants() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True)}


def carry_out(one: Execution) -> RunRecord:
    before = descendants()
    with one.equipment.sampler:
        record = one.carry_out()
    assert descendants() == before
    return record


def samples_of(one: Execution) -> pd.DataFrame:
    return pd.read_parquet(one.equipment.folder / SAMPLES_FILE)


def test_a_good_run_is_ok_and_its_window_is_enclosed_by_samples(tmp_path: Path) -> None:
    one = execution(tmp_path)
    record = carry_out(one)
    assert (record.outcome, record.reason, record.exit_code) == (Outcome.OK, "", 0)
    assert record.ready_ns and record.go_ns and record.done_ns
    assert record.start_ns < record.ready_ns < record.go_ns < record.done_ns < record.exit_ns
    samples = samples_of(one)
    for channel in ("estimate/cpu", "process/cpu_time"):
        t_ns = samples["t_ns"][samples["channel"] == channel]
        assert t_ns.min() < record.go_ns
        assert t_ns.max() > record.done_ns


def test_what_the_worker_told_of_itself_and_of_its_work_is_in_the_record(tmp_path: Path) -> None:
    record = carry_out(execution(tmp_path))
    assert record.facts == {"mode": "eager", "threads": 1}
    assert record.work == {"samples": 100, "steps": 10, "parameters": 5}
    silent = carry_out(execution(tmp_path / "silent", "dies-before-ready"))
    assert (silent.facts, silent.work) == ({}, {})


def test_a_part_of_the_stage_that_is_too_short_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class InParts(Reciter):
        parts = {"train": ("train",)}  # noqa: RUF012 - which is what the worker marks

    monkeypatch.setattr(specs, "of", lambda treatment: InParts())
    record = carry_out(execution(tmp_path))
    (found,) = (one for one in record.findings if one.code == Code.PART_TOO_SHORT)
    assert found.message.startswith("train lasted 0.3") and record.outcome is Outcome.OK


def test_samples_follow_the_period(tmp_path: Path) -> None:
    one = execution(tmp_path)
    carry_out(one)
    t_ns = samples_of(one).query("channel == 'process/cpu_time'")["t_ns"]
    assert 0.03e9 < t_ns.diff().median() < 0.08e9
    assert one.seen.recorded is not None
    assert 0 < one.seen.recorded.cpu_s < 0.5


def test_measured_energy_covers_the_time_before_the_worker_was_there(tmp_path: Path) -> None:
    zones = [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]
    with PowercapTree(tmp_path / "powercap", zones):
        one = execution(tmp_path)
        record = carry_out(one)
    t_ns = samples_of(one).query("channel == 'rapl/package-0'")["t_ns"]
    assert t_ns.min() <= record.go_ns
    assert t_ns.max() >= record.exit_ns


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (lambda tree: tree.reset(ZONE), "counter-impossible"),
        (lambda tree: tree.jump(ZONE, -20.0), "counter-impossible"),
        (lambda tree: tree.freeze(ZONE), "counter-stood-still"),
    ],
    ids=["reset", "back", "stopped"],
)
def test_a_run_whose_counter_breaks_is_invalid_and_says_when(
    tmp_path: Path, fault: Callable[[PowercapTree], None], code: str
) -> None:
    """After some two of its five seconds."""
    zones = [EmulatedZone(ZONE, "package-0", constant(60.0), offset_uj=10**11)]
    with PowercapTree(tmp_path / "powercap", zones) as tree:
        one = execution(tmp_path, "works-long")
        timer = threading.Timer(2.0, fault, [tree])
        timer.start()
        record = carry_out(one)
        timer.join()
    assert record.outcome is Outcome.INVALID
    assert code in [finding.code for finding in record.findings]
    assert record.reason.startswith("rapl/package-0 ")
    assert " s " in record.reason


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("fails", "ValueError: planted"),
        ("dies-before-ready", "ended with exit code 3 before ready"),
        ("cuts-its-last-line", "ended with exit code 5 before done or failed"),
        ("is-killed", "ended by SIGKILL (out of memory? a run may have "),
        ("is-ended-by-a-nameless-signal", f"ended by signal {signal.SIGRTMIN + 3}"),
        ("exits-4-at-the-end", "exit code 4 after its work was done"),
    ],
)
def test_a_bad_end_is_failed_with_the_reason(tmp_path: Path, behaviour: str, reason: str) -> None:
    record = carry_out(execution(tmp_path, behaviour))
    assert record.outcome is Outcome.FAILED
    assert reason in record.reason


def test_a_run_that_does_not_fit_into_its_memory_says_so_and_another_does(tmp_path: Path) -> None:
    total = psutil.virtual_memory().total
    for most, fits in ((1 << 30, False), (3 << 30, True)):
        one = execution(tmp_path / str(most), "wants-two-gigabytes")
        one.equipment = replace(one.equipment, limits=Limits(memory_share=(most + 1) / total))
        record = carry_out(one)
        assert (record.outcome is Outcome.OK) is fits
        limit = "a run may have 1024 MiB: memory_share of the plan"
        words = f"out of memory: MemoryError: Unable to allocate 2.00 GiB ({limit})"
        assert record.reason == ("" if fits else words)


def test_a_worker_that_hangs_and_ignores_sigterm_is_ended_in_time(tmp_path: Path) -> None:
    began = time.monotonic()
    record = carry_out(execution(tmp_path, "hangs", timeout_s=1))
    assert record.outcome is Outcome.FAILED
    assert record.reason == "no done or failed within 1 s"
    assert time.monotonic() - began < 15


def test_a_child_that_left_the_process_group_is_ended_too(tmp_path: Path) -> None:
    one = execution(tmp_path, "leaves-a-child")
    carry_out(one)
    child = int((one.equipment.folder / "console.log").read_text().split()[0])
    deadline = time.monotonic() + 5
    while psutil.pid_exists(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(child)


def test_a_run_that_learns_nothing_is_invalid(tmp_path: Path) -> None:
    record = carry_out(execution(tmp_path, "learns-nothing"))
    assert record.outcome is Outcome.INVALID
    assert record.reason == "accuracy 0.5000 is below 0.97 on digits"


def test_an_interrupt_leaves_no_process(tmp_path: Path) -> None:
    one = execution(tmp_path, "hangs")
    timer = threading.Timer(1.0, os.kill, (os.getpid(), 2))
    before = descendants()
    timer.start()
    with pytest.raises(KeyboardInterrupt), one.equipment.sampler:
        one.carry_out()
    assert descendants() == before


def test_a_killed_harness_takes_its_worker_along(tmp_path: Path) -> None:
    """The lease: the worker sees end of file when the process that held it is gone."""
    harness = os.fork()
    if harness == 0:
        with contextlib.suppress(BaseException):
            execution(tmp_path, "works", timeout_s=600).carry_out()
        os._exit(0)
    worker = _worker_of(harness)
    os.kill(harness, 9)
    os.waitpid(harness, 0)
    assert worker.wait(timeout=10) in (EXIT_LEASE_LOST, None)


def _worker_of(harness: int) -> psutil.Process:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if children := psutil.Process(harness).children():
            return children[0]
        time.sleep(0.01)
    raise AssertionError("the worker did not start")


def test_a_sampler_that_dies_fails_the_run_and_is_replaced(tmp_path: Path) -> None:
    one = execution(tmp_path)
    with one.equipment.sampler as sampler:
        doomed = replace(
            one.equipment,
            folder=tmp_path / "first",
            on_event=lambda event: sampler._process.kill() if event.kind == "phase" else None,
        )
        record = Execution(PLANNED, doomed).carry_out()
        assert record.outcome is Outcome.FAILED
        assert "sampling process" in record.reason
        assert list(doomed.folder.glob("samples*")) == [doomed.folder / SAMPLES_FILE]
        assert pd.read_parquet(doomed.folder / SAMPLES_FILE).columns.tolist() == ["t_ns", "channel", "value"]
        assert one.carry_out().outcome is Outcome.OK


def test_what_the_worker_prints_goes_to_the_console_log_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    one = execution(tmp_path)
    carry_out(one)
    assert "the worker says <b>hello</b>" in (one.equipment.folder / "console.log").read_text()
    assert capfd.readouterr() == ("", "")
