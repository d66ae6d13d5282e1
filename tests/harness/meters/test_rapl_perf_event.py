"""The system call behind the power PMU is the kernel's own."""

from __future__ import annotations

import errno
import os
import time

import pytest

from harness.meters.rapl_perf_event import SYSCALL, open_event, read_count

SOFTWARE, TASK_CLOCK = 1, 1  # enum perf_type_id, enum perf_sw_ids: it counts nanoseconds


def test_the_system_call_opens_and_reads_a_counter_of_the_kernel() -> None:
    fd = open_event(SOFTWARE, TASK_CLOCK, pid=0, cpu=-1)
    try:
        assert not os.get_inheritable(fd)
        before_ns, cpu_before_ns = read_count(fd), time.thread_time_ns()
        while time.thread_time_ns() - cpu_before_ns < 50_000_000:
            pass
        spent_ns = read_count(fd) - before_ns
    finally:
        os.close(fd)
    assert spent_ns == pytest.approx(50e6, rel=0.2)


def test_the_system_calls_error_is_the_kernels() -> None:
    with pytest.raises(OSError, match="Invalid argument") as caught:
        open_event(SOFTWARE, TASK_CLOCK, pid=-1, cpu=-1)  # neither a process nor a CPU
    assert caught.value.errno == errno.EINVAL


def test_an_unknown_architecture_is_an_error_not_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "vax")
    with pytest.raises(OSError, match="no system call number known for vax"):
        open_event(SOFTWARE, TASK_CLOCK, pid=0, cpu=-1)
    assert SYSCALL["x86_64"] == 298
