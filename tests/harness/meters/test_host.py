"""The machine's own counters, from the real kernel and from files with known numbers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harness.meters import host
from harness.meters.base import MeterConfiguration, MeterLost
from harness.records import PowerModel

SETTINGS = MeterConfiguration(Path("/nonexistent"), PowerModel(idle_w=1, busy_cpu_w=1))
#                user nice system idle iowait irq softirq steal guest guest_nice
STAT = "cpu  1000 100 300 9000 700 20 30 50 400 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"


def files(folder: Path, stat: str = STAT, vmstat: str = "pswpin 1\npswpout 3\n") -> Path:
    (folder / "stat").write_text(stat)
    (folder / "vmstat").write_text(vmstat)
    return folder


def test_a_busy_loop_shows_in_the_cpu_time_of_the_machine() -> None:
    found = host.find(SETTINGS)
    assert isinstance(found, host.HostMeter)
    read = found.open(None)
    before, end_s = read(), time.process_time() + 0.3
    while time.process_time() < end_s:
        pass
    after = read()
    assert after[host.CPU_BUSY] - before[host.CPU_BUSY] >= 0.25
    assert set(after) == {one.name for one in found.channels}
    assert not any(one.boundary for one in found.channels)


def test_idle_waiting_stolen_and_guest_time_are_not_busy(tmp_path: Path) -> None:
    readings = host.HostMeter(files(tmp_path), "/nothing").open(None)()
    assert readings[host.CPU_BUSY] == (1000 + 100 + 300 + 20 + 30) / host.TICKS_PER_S
    assert readings[host.CPU_STOLEN] == 50 / host.TICKS_PER_S
    assert readings[host.SWAPPED_OUT] == 3 * host.PAGE_BYTES
    assert readings[host.WALL_CLOCK] == pytest.approx(time.time(), abs=2)


def test_throttling_is_summed_where_the_machine_counts_it_and_absent_elsewhere(tmp_path: Path) -> None:
    files(tmp_path)
    for package in range(2):
        (tmp_path / f"count{package}").write_text("4\n")
    assert host.HostMeter(tmp_path, f"{tmp_path}/count*").open(None)()[host.THROTTLES] == 8
    assert host.THROTTLES not in host.HostMeter(tmp_path, "/nothing").open(None)()
    assert (
        host.SWAPPED_OUT not in host.HostMeter(files(tmp_path, vmstat="nr_free_pages 9\n"), "/x").open(None)()
    )


def test_counters_that_vanish_are_a_lost_meter(tmp_path: Path) -> None:
    read = host.HostMeter(files(tmp_path), "/nothing").open(None)
    (tmp_path / "stat").unlink()
    with pytest.raises(MeterLost, match="stat"):
        read()
