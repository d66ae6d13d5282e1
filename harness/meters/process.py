"""CPU seconds and peak memory of one run: from its own cgroup where it has one, else from its process tree."""

from __future__ import annotations

import os
from pathlib import Path

from harness.meters.base import MeterConfiguration, Reader, Readings
from harness.records import Channel, ChannelKind, Provenance, Unavailable

CPU_TIME = "process/cpu_time"
MEMORY_PEAK = "process/memory_peak"
CGROUPS = Path("/sys/fs/cgroup")
KIB = 1024
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def find(configuration: MeterConfiguration) -> ProcessMeter | Unavailable:
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
        tree = Tree(pid)

        def read() -> Readings:
            readings = {CPU_TIME: tree.cpu_s(), MEMORY_PEAK: tree.memory_peak_bytes()}
            return {name: value for name, value in readings.items() if value is not None}

        return read


class Tree:
    """A run's processes, searched for anew only when some process or thread was born since the last time."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._cgroup = own_cgroup_cpu_file(pid)
        self._members: list[int] = []
        self._newest = ""

    def members(self) -> list[int]:
        """Those alive at the last birth; some may have ended since."""
        if (newest := newest_pid()) != self._newest:
            self._newest, self._members = newest, processes_below(self._pid)
        return self._members

    def cpu_s(self) -> float | None:
        return tree_cpu_s(self.members()) if self._cgroup is None else cgroup_cpu_s(self._cgroup)

    def memory_peak_bytes(self) -> float | None:
        return _memory_peak_bytes(self.members())


def newest_pid() -> str:
    """The id given to the newest process or thread of the machine, last field of /proc/loadavg (proc_loadavg(5))."""
    return Path("/proc/loadavg").read_text().split()[-1]


def processes_below(pid: int) -> list[int]:
    """A process and its living descendants, however deep; empty once it has ended.

    /proc/PID/task/TID/children (proc_tid_children(5)) costs a read a thread, where a search of /proc costs one a
    process of the whole machine, ten times a second.
    """
    found = [pid] if Path(f"/proc/{pid}").exists() else []
    for one in found:
        found += _children(one)
    return found


def _children(pid: int) -> list[int]:
    """None of one that has ended, or where the kernel tells none (CONFIG_PROC_CHILDREN)."""
    try:
        texts = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children")]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(word) for text in texts for word in text.split()]


def tree_cpu_s(tree: list[int]) -> float | None:
    """User and system time of the living and of the children they have waited for; 10 ms resolution."""
    times = [ticks for pid in tree if (ticks := _cpu_ticks(pid)) is not None]
    return sum(times) / TICKS_PER_S if times else None


def _cpu_ticks(pid: int) -> int | None:
    """utime + stime + cutime + cstime of /proc/PID/stat (proc_pid_stat(5)); None for a process that is no more.

    One that has ended keeps its times until its parent waits for it, which takes them over.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(b")")[2].split()  # the name before it may be any bytes
    return sum(int(field) for field in fields[11:15])


def _memory_peak_bytes(tree: list[int]) -> float | None:
    peaks = [peak for pid in tree if (peak := _high_water_bytes(pid)) is not None]
    return float(sum(peaks)) if peaks else None


def _high_water_bytes(pid: int) -> int | None:
    """VmHWM of /proc/PID/status (proc_pid_status(5)); None for a process that has just ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    _, found, rest = text.partition(b"\nVmHWM:")  # on a line of its own: the name above may say the same
    return int(rest.split(maxsplit=1)[0]) * KIB if found else None


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
