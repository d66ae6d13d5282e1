"""CPU seconds and peak memory of one run: from its own cgroup where it has one, else from its process tree."""

from __future__ import annotations

from pathlib import Path

import psutil

from harness.meters.base import MeterSettings, Reader, Readings
from harness.records import Channel, ChannelKind, Provenance, Unavailable

CPU_TIME = "process/cpu_time"
MEMORY_PEAK = "process/memory_peak"
CGROUPS = Path("/sys/fs/cgroup")
KIB = 1024


def find(settings: MeterSettings) -> ProcessMeter | Unavailable:
    return ProcessMeter()


class ProcessMeter:
    """Of the run alone: nothing else on the machine is in it."""

    needs_process = True
    period_s = None
    channels = (
        Channel(
            name=CPU_TIME,
            meter="process",
            unit="s",
            kind=ChannelKind.COUNTER,
            provenance=Provenance.MEASURED,
            domain="process",
        ),
        Channel(
            name=MEMORY_PEAK,
            meter="process",
            unit="bytes",
            kind=ChannelKind.GAUGE,
            provenance=Provenance.MEASURED,
            domain="process",
            note="high-water mark of resident memory, summed over the run's processes",
        ),
    )

    def open(self, pid: int | None) -> Reader:
        assert pid is not None
        cgroup = own_cgroup_cpu_file(pid)

        def read() -> Readings:
            tree = _tree(pid)
            cpu_s = tree_cpu_s(tree) if cgroup is None else cgroup_cpu_s(cgroup)
            readings = {CPU_TIME: cpu_s, MEMORY_PEAK: _memory_peak_bytes(tree)}
            return {name: value for name, value in readings.items() if value is not None}

        return read


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def tree_cpu_s(tree: list[psutil.Process]) -> float | None:
    """User and system time of the living and of the children they have waited for; 10 ms resolution."""
    times = [sum(process.cpu_times()[:4]) for process in tree if _alive(process)]
    return sum(times) if times else None


def _memory_peak_bytes(tree: list[psutil.Process]) -> float | None:
    peaks = [peak for process in tree if (peak := _high_water_bytes(process.pid)) is not None]
    return float(sum(peaks)) if peaks else None


def _high_water_bytes(pid: int) -> int | None:
    """VmHWM of /proc/PID/status (proc(5)); None for a process that has just ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    found = [line for line in lines if line.startswith("VmHWM:")]
    return int(found[0].split()[1]) * KIB if found else None


def _alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def own_cgroup_cpu_file(pid: int) -> Path | None:
    """The file of consumed CPU time of the process's cgroup, if that cgroup is not the harness' own too."""
    own, mine = _cpu_cgroup(Path(f"/proc/{pid}/cgroup")), _cpu_cgroup(Path("/proc/self/cgroup"))
    if own is None or own == mine:
        return None
    mount, path = own
    file = CGROUPS / mount / path.lstrip("/") / ("cpuacct.usage" if mount else "cpu.stat")
    return file if file.exists() else None


def _cpu_cgroup(file: Path) -> tuple[str, str] | None:
    """(mount below /sys/fs/cgroup, path): ("cpuacct", ...) on version 1, ("", ...) on version 2; cgroups(7)."""
    try:
        lines = [line.split(":", 2) for line in file.read_text().splitlines()]
    except (FileNotFoundError, ProcessLookupError):
        return None
    for _, controllers, path in lines:
        if "cpuacct" in controllers.split(","):
            return controllers, path
    return next((("", path) for _, controllers, path in lines if not controllers), None)


def cgroup_cpu_s(file: Path) -> float | None:
    """cpuacct.usage counts nanoseconds, usage_usec of cpu.stat microseconds; None once the cgroup is gone."""
    try:
        text = file.read_text()
    except (FileNotFoundError, OSError):
        return None
    if file.name == "cpuacct.usage":
        return int(text) / 1e9
    usage = dict(line.split() for line in text.splitlines())
    return int(usage["usage_usec"]) / 1e6
