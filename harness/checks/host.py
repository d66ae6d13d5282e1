"""Whether a run had the machine for itself, and time ran evenly (rules R19, R37)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from harness.energy.series import Series, counter_increase, seconds
from harness.findings.codes import Code
from harness.host.changes import changes
from harness.meters.host import CPU_BUSY, CPU_STOLEN, SWAPPED_OUT, THROTTLES, WALL_CLOCK
from harness.meters.process import CPU_TIME
from harness.records import Finding

MAX_FOREIGN_CPUS = 0.1  # the harness and the engine stay well below
MAX_STOLEN_CPUS = 0.02
MAX_JUMP_S = 0.1


def machine_shared(
    series: Sequence[Series], begin_ns: int, end_ns: int, watching_cpu_s: float = 0.0
) -> Iterable[Finding]:
    """Others' work draws power that is counted as the run's, and slows the run. What watches the run is none of them.

    A sampler of NVML took 0.05 to 0.12 CPUs on a machine with an H100, its record says so.
    """
    grown = _Growth(series, begin_ns, end_ns)
    busy_s, own_s = grown.of(CPU_BUSY), grown.of(CPU_TIME)
    if (
        busy_s is not None
        and own_s is not None
        and (cpus := (busy_s - own_s - watching_cpu_s) / grown.window_s) > MAX_FOREIGN_CPUS
    ):
        yield Finding.of(Code.FOREIGN_LOAD, f"others kept {cpus:.2f} CPUs busy during the run")
    if (stolen_s := grown.of(CPU_STOLEN)) and stolen_s / grown.window_s > MAX_STOLEN_CPUS:
        yield Finding.of(
            Code.CPU_STOLEN,
            f"the hypervisor gave {stolen_s / grown.window_s:.2f} CPUs to others during the run",
        )


def machine_strained(series: Sequence[Series], begin_ns: int, end_ns: int) -> Iterable[Finding]:
    """Swapping, heat and a clock that jumps are not the framework's doing."""
    grown = _Growth(series, begin_ns, end_ns)
    if swapped := grown.of(SWAPPED_OUT):
        yield Finding.of(Code.SWAP_USED, f"{swapped / 2**20:.1f} MiB were written to swap during the run")
    if throttles := grown.of(THROTTLES):
        yield Finding.of(
            Code.CPU_THROTTLED, f"the CPU grew too hot and was slowed down {throttles:.0f} times"
        )
    if (jump_s := grown.jump_s()) is not None and abs(jump_s) > MAX_JUMP_S:
        yield Finding.of(Code.CLOCK_JUMPED, f"the time of day jumped by {jump_s:+.2f} s during the run")


def host_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[Finding]:
    """Somebody turned a knob while the run was measured (harness.host.tuning)."""
    if changed := changes(before, after):
        yield Finding.of(
            Code.HOST_CHANGED, f"the machine was set otherwise during the run: {'; '.join(map(str, changed))}"
        )


class _Growth:
    """Growth of the machine's counters over a window."""

    def __init__(self, series: Sequence[Series], begin_ns: int, end_ns: int) -> None:
        self._by_name = {one.channel.name: one for one in series}
        self._window = begin_ns, end_ns
        self.window_s = seconds(begin_ns, end_ns)

    def of(self, name: str) -> float | None:
        """None where the channel is not there or does not enclose the window."""
        return counter_increase(self._by_name[name], *self._window) if name in self._by_name else None

    def jump_s(self) -> float | None:
        """Of the wall clock between the readings around the window: a jump has no part that could be interpolated."""
        clock = self._by_name.get(WALL_CLOCK)
        if clock is None or self.of(WALL_CLOCK) is None:
            return None
        first = np.searchsorted(clock.t_ns, self._window[0], side="right") - 1
        last = np.searchsorted(clock.t_ns, self._window[1])
        return float(np.diff(clock.values[[first, last]])[0]) - seconds(clock.t_ns[first], clock.t_ns[last])
