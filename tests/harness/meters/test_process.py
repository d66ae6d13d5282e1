"""CPU seconds and peak memory of a real process tree, and the estimate that rests on them."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from harness.meters import estimate, process
from harness.meters.base import MeterConfiguration
from harness.records import PowerModel

SETTINGS = MeterConfiguration(Path("/nonexistent"), PowerModel(idle_w=10, busy_cpu_w=8))
BUSY = """
import subprocess, sys, time
block = bytearray({mebibytes} << 20)
if {child}:
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.5: pass"])
e = time.process_time() + {cpu_s}
while time.process_time() < e: pass
print("worked", flush=True)
time.sleep(60)
"""


@contextmanager
def worker(cpu_s: float, mebibytes: int = 1, child: bool = False) -> Iterator[int]:
    source = BUSY.format(cpu_s=cpu_s, mebibytes=mebibytes, child=child)
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        yield running.pid
        running.kill()


def test_cpu_time_counts_the_process_and_its_finished_children() -> None:
    with worker(cpu_s=0.5, child=True) as pid:
        cpu_s = process.ProcessMeter().open(pid)()[process.CPU_TIME]
    assert 0.9 < cpu_s < 1.5


def test_a_child_that_ended_and_that_nobody_has_waited_for_still_counts() -> None:
    """Else the counter would go back between its end and its parent's waiting, and the run would be invalid."""
    burn = "import time\nwhile time.process_time() < 0.5: pass"
    source = f"import os, time\npid = os.fork()\nif pid == 0:\n    exec({burn!r})\nelse: time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", source]) as running:
        read, seen = process.ProcessMeter().open(running.pid), []
        while not any(one.status() == psutil.STATUS_ZOMBIE for one in psutil.Process(running.pid).children()):
            seen.append(read()[process.CPU_TIME])
            time.sleep(0.05)
        seen += [read()[process.CPU_TIME] for _ in range(3)]
        running.kill()
    assert seen == sorted(seen)
    assert seen[-1] >= 0.5


def test_a_process_born_during_the_run_is_found() -> None:
    source = "import subprocess, sys; sys.stdin.readline(); subprocess.run(['sleep', '60'])"
    with subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, text=True) as running:
        tree = process.Tree(running.pid)
        assert tree.members() == tree.members() == [running.pid]
        assert running.stdin is not None
        running.stdin.write("go\n")
        running.stdin.flush()
        time.sleep(0.3)
        found = tree.members()
        assert [psutil.Process(pid).name() for pid in found[1:]] == ["sleep"]
        for pid in reversed(found):
            os.kill(pid, 9)


def test_living_grandchildren_belong_to_the_run() -> None:
    source = "import subprocess; subprocess.run(['sh', '-c', 'echo started; sleep 60; true'])"
    with subprocess.Popen([sys.executable, "-u", "-c", source], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(0.2)
        tree = process.processes_below(running.pid)
        assert [psutil.Process(pid).name() for pid in tree[1:]] == ["sh", "sleep"]
        for pid in reversed(tree):
            os.kill(pid, 9)
    assert process.processes_below(running.pid) == []


def test_peak_memory_stays_at_its_high_water() -> None:
    with worker(cpu_s=0.0, mebibytes=200) as pid:
        peak = process.ProcessMeter().open(pid)()[process.MEMORY_PEAK]
    assert 200 << 20 < peak < 300 << 20


def test_a_process_that_ended_gives_nothing_not_zero() -> None:
    with worker(cpu_s=0.0) as pid:
        read, read_estimate = process.ProcessMeter().open(pid), estimate.EstimateMeter(SETTINGS).open(pid)
    assert read() == {}
    assert read_estimate() == {}


def test_the_estimate_is_idle_time_and_busy_time_by_the_stated_model() -> None:
    with worker(cpu_s=0.3) as pid:
        read = estimate.EstimateMeter(SETTINGS).open(pid)
        first, began = read()[estimate.CHANNEL], time.monotonic()
        time.sleep(0.5)
        growth_j, elapsed_s = read()[estimate.CHANNEL] - first, time.monotonic() - began
    assert growth_j == pytest.approx(10 * elapsed_s, rel=0.1)  # the worker sleeps: idle power alone


def test_cgroup_times_are_read_in_their_own_units(tmp_path: Path) -> None:
    version_1, version_2 = tmp_path / "cpuacct.usage", tmp_path / "cpu.stat"
    version_1.write_text("2500000000\n")
    version_2.write_text("usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n")
    assert process.cgroup_cpu_s(version_1) == process.cgroup_cpu_s(version_2) == 2.5
    assert process.cgroup_cpu_s(tmp_path / "gone" / "cpu.stat") is None


NAMED = """
import ctypes, sys, time
block = bytearray(200 << 20)
ctypes.CDLL(None).prctl(15, bytes.fromhex(sys.argv[1]), 0, 0, 0)
print("named", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("name", [b"\xff\xfe", b"VmHWM:", b"VmHWM: 1 kB", b"x) R 1 1 1", b"a\nVmHWM: 1"])
def test_a_process_may_call_itself_whatever_it_likes(name: bytes) -> None:
    """Its name stands before its numbers in every file that the kernel writes of it (prctl(2), PR_SET_NAME)."""
    command = [sys.executable, "-c", NAMED, name.hex()]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        try:
            readings = process.ProcessMeter().open(running.pid)()
        finally:
            running.kill()
    assert 200 << 20 < readings[process.MEMORY_PEAK] < 300 << 20
    assert 0 < readings[process.CPU_TIME] < 5


CHAIN = """
import os, signal
for _ in range(60):
    if os.fork():
        signal.pause()
print("deep", flush=True)
signal.pause()
"""


def test_processes_may_descend_from_each_other_more_deeply_than_python_recurses() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CHAIN], stdout=subprocess.PIPE, start_new_session=True
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        usual = sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(len(inspect.stack(0)) + 60)
            assert len(process.processes_below(running.pid)) == 61
        finally:
            sys.setrecursionlimit(usual)
            os.killpg(running.pid, 9)
