"""A run that is looked at ends in a record whatever the worker does, and leaves no process; by the real py-spy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.campaign.execution import Execution
from harness.profiling import spy, stacks_file, trace
from harness.records import Outcome, Purpose, RunRecord
from tests.harness.campaign.test_execution import carry_out, emulated_machine, execution
from tests.small_disks import small_disk

pytestmark = pytest.mark.unhurried
__all__ = ["emulated_machine"]  # used by every test


@pytest.fixture(autouse=True)
def worker_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "WORKER", "emulators/worker.py")


def looked_at(tmp_path: Path, behaviour: str, timeout_s: float = 20) -> RunRecord:
    """`carry_out` holds that no process is left."""
    one = execution(tmp_path, behaviour, timeout_s)
    planned = one.planned.model_copy(update={"purpose": Purpose.PROFILE})
    record = carry_out(Execution(planned, replace(one.equipment, profiled=True)))
    assert not list((tmp_path / "run").glob("py-spy*"))
    assert record.reason.isprintable()
    return record


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("dies-before-ready", "exit code 3 before ready"),
        ("fails", "ValueError: planted"),
        ("is-killed", "ended by SIGKILL"),
        ("becomes-another-program", "ended with exit code 0 before done or failed"),
        ("exits-4-at-the-end", "exit code 4 after its work was done"),
    ],
)
def test_a_worker_that_ends_early_is_the_reason(tmp_path: Path, behaviour: str, reason: str) -> None:
    record = looked_at(tmp_path, behaviour)
    assert record.outcome is Outcome.FAILED
    assert reason in record.reason


def test_a_worker_that_hangs_is_ended_with_its_spy(tmp_path: Path) -> None:
    record = looked_at(tmp_path, "hangs", timeout_s=1.5)
    assert (record.outcome, record.reason) == (Outcome.FAILED, "no done or failed within 1.5 s")


@pytest.mark.parametrize("behaviour", ["works", "leaves-a-child", "is-another-and-many"])
def test_a_worker_of_many_processes_threads_and_names_is_looked_at(tmp_path: Path, behaviour: str) -> None:
    record = looked_at(tmp_path, behaviour)
    assert (record.outcome, record.reason) == (Outcome.OK, "")
    seen = stacks_file.read(tmp_path / "run")
    assert any("spin" in one for one in seen.stacks)
    assert all(one.isprintable() for one in seen.stacks)
    assert record.profiler["cpu_s"] < record.exit_ns / 1e9 - record.start_ns / 1e9


def test_a_run_of_which_nothing_was_seen_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "WORKER", "another.py")
    record = looked_at(tmp_path, "works")
    assert record.outcome is Outcome.FAILED
    assert record.reason.startswith("py-spy saw nothing of the worker's main thread")


def test_more_stacks_than_are_kept_end_the_spy_and_not_the_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spy, "MOST_BYTES", 1 << 14)
    record = looked_at(tmp_path, "goes-deep")
    assert record.outcome is Outcome.FAILED
    assert record.reason.startswith("py-spy saw more than the")


def test_a_spy_that_gets_no_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spy, "MOST_MEMORY_BYTES", 1 << 22)
    record = looked_at(tmp_path, "goes-deep")
    assert record.outcome is Outcome.FAILED
    assert record.reason.startswith("py-spy ")


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """On which the run's folder lies, and no stacks have room."""
    with small_disk(tmp_path / "disk", "256k") as place:
        yield place


def test_a_disk_without_room_for_the_stacks_is_the_reason(full_disk: Path) -> None:
    record = looked_at(full_disk, "goes-deep")
    assert record.outcome is Outcome.FAILED
    assert "No space left on device" in record.reason
