"""Whether a run kept going: a worker that was stopped for a while and continued has a time that is not its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from harness.energy.series import NS_PER_S, Series, gauge_peak
from harness.findings.codes import Code
from harness.meters.process import CPU_TIME
from harness.records import Finding
from suite.protocol import CONTROL

STANDSTILL_S = 5.0
# py-spy stops a worker while it reads symbols, of TensorFlow 1 GB; a profiler within it waits for the disk.
PROFILED_STANDSTILL_S = 60.0
STILL_CPUS = 0.01  # an interpreter whose threads all wait uses less


def stood_still(
    series: Sequence[Series], stage: str, begin_ns: int, end_ns: int, profiled: bool = False
) -> Iterable[Finding]:
    """No CPU and no GPU used for seconds on end (stopped, frozen, waiting); a control run rests by its plan.

    `profiled`: by what may stop it; such a run never enters a comparison.
    """
    cpu = next((one for one in series if one.channel.name == CPU_TIME), None)
    if cpu is None or stage == CONTROL:
        return
    first_ns, last_ns = _longest_rest(cpu, begin_ns, end_ns)
    rest_s = (last_ns - first_ns) / NS_PER_S
    busy = [one for one in series if one.channel.name.endswith("/gpu_utilisation")]
    too_long = rest_s >= (PROFILED_STANDSTILL_S if profiled else STANDSTILL_S)
    if too_long and not any(gauge_peak(one, first_ns, last_ns) for one in busy):
        yield Finding.of(Code.STOOD_STILL, f"the run's processes used no CPU for {rest_s:.1f} s")


def _longest_rest(cpu: Series, begin_ns: int, end_ns: int) -> tuple[int, int]:
    """The longest stretch of readings inside the window between which hardly any CPU time went by."""
    inside = (cpu.t_ns >= begin_ns) & (cpu.t_ns <= end_ns)
    t_ns, used_s = cpu.t_ns[inside], cpu.values[inside]
    still = np.diff(used_s) <= STILL_CPUS * np.diff(t_ns) / NS_PER_S
    borders = np.flatnonzero(np.diff(np.concatenate(([False], still, [False])).astype(np.int8)))
    stretches = [(int(t_ns[first]), int(t_ns[last])) for first, last in borders.reshape(-1, 2)]
    return max(stretches, key=lambda one: one[1] - one[0], default=(begin_ns, begin_ns))
