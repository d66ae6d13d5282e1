"""A block on its node, without a scheduler: what the node lacks, what breaks it off, and what comes home."""

from __future__ import annotations

import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import store
from harness.campaign import machine_lock, preparation
from harness.campaign.preparation import Prepared
from harness.cluster import beginning, block_job, disk, outcomes, suspensions
from harness.cluster.block_job import BlockJob
from harness.cluster.outcomes import JobState
from harness.cluster.places import ASKED_FILE, Places
from harness.cluster.records import ClusterRecord, Ending, SlurmOptions, ToldRecord
from harness.environments import interrupts
from harness.environments.choose import Choice
from harness.errors import MissingPrerequisite
from harness.files.record_files import read_record
from harness.host import machine
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import CampaignRecord, PowerModel, Treatment
from tests.emulators.environment import EmulatedEnvironment
from tests.small_disks import fill, small_disk

pytestmark = pytest.mark.unhurried
PROTOCOL = Protocol(
    repetitions=2, sample_period_s=0.05, baseline_s=0.1, run_timeout_s=30, expected_run_s=1,
    power_model=PowerModel(idle_w=10, busy_cpu_w=8),
)  # fmt: skip
ASKED = ClusterRecord(
    options=SlurmOptions(nodes=2, minutes=5), isolation="virtualenv", device="cpu", verify=False
)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """Of a campaign of two blocks, none of which is there; nodes have the emulated worker."""
    for name, place in (
        ("JOULEMARK_HOME", "home"),
        ("JOULEMARK_LOCK", "host.lock"),
        ("SLURM_TMPDIR", "node"),
    ):
        monkeypatch.setenv(name, str(tmp_path / place))
    (tmp_path / "node").mkdir()
    slurm_says(tmp_path, monkeypatch, "   SuspendTime=None SecsPreSuspend=0")
    has(monkeypatch, "works")
    one = Treatment(workload="svm", framework="sklearn", version="1.0", stage="train", dataset="digits")
    made = plan.make("quick", PROTOCOL, [one], (), seed=1)
    folder = tmp_path / "campaign"
    beginning.create(folder, beginning.record_of(folder, made, "virtualenv", ()), ASKED, {})
    return Places(folder)


def has(monkeypatch: pytest.MonkeyPatch, behaviour: str) -> None:
    ready = Prepared({("sklearn", "1.0"): EmulatedEnvironment(behaviour)}, ())
    monkeypatch.setattr(preparation, "environments", lambda *given: ready)


def slurm_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Of any job that it is asked for."""
    (programs := tmp_path / "programs").mkdir(exist_ok=True)
    (programs / "scontrol").write_text(f"#!/bin/sh\necho '{line}'\n")
    (programs / "scontrol").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")


def told(places: Places, block: int = 1, node: str = "n1", job_id: str = "7") -> ToldRecord:
    return BlockJob(places, block, job_id, node).run()


@pytest.fixture
def signals() -> Iterator[None]:
    before = {one: signal.getsignal(one) for one in interrupts.SIGNALS}
    interrupts.only_the_first()
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


def nothing_on_the_node(tmp_path: Path) -> bool:
    return list((tmp_path / "node").iterdir()) == []


def test_a_block_comes_home_whole_and_the_node_is_left_clean(places: Places, tmp_path: Path) -> None:
    assert told(places) == ToldRecord(job_id="7", block=1, node="n1", ending=Ending.DONE)
    (one,) = disk.blocks(places)
    assert (one.by.block, one.by.node) == (1, "n1")
    whole = read_record(CampaignRecord, places.campaign, store.CAMPAIGN_FILE)
    assert one.record.campaign_id == "campaign"
    runs = [store.stored_record(run) for run in store.run_folders(places.of_block(1))]
    assert {one.record.identity, *(run.campaign_identity for run in runs)} == {whole.identity}
    assert runs and whole.identity
    assert {run.block for run in one.record.order} == {1}
    assert nothing_on_the_node(tmp_path)
    node = disk.node(places, "n1")
    assert node is not None
    assert node.fit
    assert node.control_s


def test_a_fit_node_is_not_examined_again(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    told(places)
    monkeypatch.setattr(block_job.fitness, "examine", None)
    assert told(places, block=2).ending is Ending.DONE


def test_a_node_whose_control_workload_fails_gets_no_work(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    has(monkeypatch, "fails")
    found = told(places)
    assert found.ending is Ending.UNFIT
    assert "its control workload failed" in found.reason
    assert disk.blocks(places) == []
    assert [one.fit for one in disk.nodes(places)] == [False]
    has(monkeypatch, "works")
    assert told(places).ending is Ending.UNFIT  # until somebody resumes
    disk.forget_unfit(places)
    assert told(places).ending is Ending.DONE


def test_a_node_of_other_hardware_is_not_pooled(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(places).ending is Ending.DONE
    here = machine.describe()
    monkeypatch.setattr(machine, "describe", lambda: {**here, "cpu_model": "another"})
    found = told(places, block=2, node="n2")
    assert found.ending is Ending.UNFIT
    assert "cpu_model" in found.reason


@pytest.mark.parametrize("isolation", ["apptainer", "docker", "virtualenv"])
def test_a_node_takes_the_environment_that_was_asked_for(
    places: Places, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    def lacking(plan: Any, choice: Choice, *given: Any) -> Prepared:
        raise MissingPrerequisite(f"no {choice.kind} here")

    asked = places.folder / ASKED_FILE
    asked.write_text(asked.read_text().replace('"virtualenv"', f'"{isolation}"'))
    monkeypatch.setattr(preparation, "environments", lacking)
    assert told(places).reason == f"no {isolation} here"


def test_what_a_node_lacks_is_its_own(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*given: Any) -> Prepared:
        raise MissingPrerequisite("no Docker engine answers")

    monkeypatch.setattr(preparation, "environments", lacking)
    assert told(places) == ToldRecord(
        job_id="7", block=1, node="n1", ending=Ending.UNFIT, reason="no Docker engine answers"
    )


def test_a_node_with_a_full_disk_gets_no_work(
    places: Places, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "RESERVE_BYTES", 1 << 60)
    found = told(places)
    assert found.ending is Ending.UNFIT
    assert "MiB free" in found.reason
    assert nothing_on_the_node(tmp_path)


def test_a_full_disk_of_the_campaign_is_told_and_the_block_can_be_brought_again(
    places: Places, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "shared", "8m") as shared:
        shutil.copytree(places.campaign, shared / "campaign")
        places = Places(shared / "campaign")
        assert told(places).ending is Ending.DONE
        ballast = fill(shared)
        found = told(places, block=2)
        assert found.ending is Ending.FAILED
        assert "No space left" in found.reason
        assert nothing_on_the_node(tmp_path)
        assert list(places.incoming.iterdir()) == []
        ballast.unlink()
        assert told(places, block=2).ending is Ending.DONE
        assert [one.by.block for one in disk.blocks(places)] == [1, 2]


def test_a_job_that_is_given_up_ends_and_keeps_what_it_measured_aside(
    places: Places, monkeypatch: pytest.MonkeyPatch, signals: None, tmp_path: Path
) -> None:
    told(places)  # the node is fit
    has(monkeypatch, "hangs")
    threading.Timer(2.0, (places.revoked / "8").touch).start()
    found = told(places, block=2, job_id="8")
    assert found.ending is Ending.CANCELLED
    assert [one.by.block for one in disk.blocks(places)] == [1]
    assert nothing_on_the_node(tmp_path)


def test_a_block_with_a_pause_in_it_that_nobody_saw_is_set_aside_and_so_is_one_of_which_nobody_tells(
    places: Places, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told(places)  # the node is fit
    slurm_says(tmp_path, monkeypatch, "   SuspendTime=2026-11-26T09:12:37 SecsPreSuspend=0")
    found = told(places, block=2, job_id="8")
    assert (found.ending, found.reason) == (Ending.PREEMPTED, outcomes.PAUSE)
    assert outcomes.outcome(JobState("COMPLETED"), found).ending is Ending.PREEMPTED
    assert [one.by.block for one in disk.blocks(places)] == [1]
    assert list((places.campaign / "aside").glob("block-2-job-8-*"))
    assert nothing_on_the_node(tmp_path)
    slurm_says(tmp_path, monkeypatch, "no such job")
    monkeypatch.setattr(suspensions, "PATIENCE_S", 0.0)
    found = told(places, block=2, job_id="9")
    assert found.ending is Ending.FAILED
    assert "does not tell whether the job was suspended" in found.reason
    assert [one.by.block for one in disk.blocks(places)] == [1]
    slurm_says(tmp_path, monkeypatch, "   SuspendTime=None SecsPreSuspend=0")
    assert told(places, block=2, job_id="10").ending is Ending.DONE


def test_a_pause_while_a_node_was_examined_is_not_the_node_s_fault(
    places: Places, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slurm_says(tmp_path, monkeypatch, "   SuspendTime=2026-11-26T09:12:37 SecsPreSuspend=1")
    assert told(places).ending is Ending.PREEMPTED
    assert disk.nodes(places) == []


def test_where_nobody_can_ask_slurm_nothing_is_measured(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspensions, "SCONTROL", "a-program-that-is-not-here")
    found = told(places)
    assert found.ending is Ending.UNFIT
    assert "is not here" in found.reason


def test_a_job_waits_for_who_holds_the_host(places: Places) -> None:
    with machine_lock.hold(None):
        waiting = threading.Thread(target=lambda: found.append(told(places)))
        found: list[ToldRecord] = []
        waiting.start()
        waiting.join(4.0)
        assert waiting.is_alive()
        released_ns = time.monotonic_ns()
    waiting.join(60.0)
    assert [one.ending for one in found] == [Ending.DONE]
    assert disk.blocks(places)[0].by.begin_ns >= released_ns


def test_what_a_killed_job_left_on_the_node_goes(places: Places, tmp_path: Path) -> None:
    left = tmp_path / "node" / f"{block_job.SCRATCH}3-abc"
    (left / "block").mkdir(parents=True)
    assert told(places).ending is Ending.DONE
    assert not left.exists()


def test_a_block_that_is_there_already_stays_as_it_is(places: Places) -> None:
    told(places)
    found = told(places, node="n2", job_id="9")
    assert found.ending is Ending.DONE
    assert "there already" in found.reason
    assert [one.by.node for one in disk.blocks(places)] == ["n1"]
