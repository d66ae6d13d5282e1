"""Whether a run had the GPUs for itself, at their full speed (rule R19)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.devices import is_gpu
from harness.energy.series import Series, gauge_peak, inside
from harness.findings.codes import Code
from harness.meters.slow_reasons import SLOW_REASONS
from harness.records import Finding


def foreign_on_gpu(processes: Sequence[str]) -> Iterable[Finding]:
    """Another process on the GPU spends joules that would be counted as the run's (rule R19)."""
    if processes:
        yield Finding.of(Code.FOREIGN_GPU_PROCESS, f"others computed on the GPU: {', '.join(processes)}")


def foreign_check_blind(
    series: Sequence[Series], device: str, begin_ns: int, end_ns: int
) -> Iterable[Finding]:
    """A driver that never shows the run's own process would not show another's either (rule R19)."""
    shown = [one for one in series if one.channel.name.endswith("/compute_processes")]
    peaks = [gauge_peak(one, begin_ns, end_ns) for one in shown]
    if is_gpu(device) and not any(peaks):
        yield Finding.of(
            Code.FOREIGN_CHECK_BLIND, "the driver shows no process on the GPU, not even the run's own"
        )


def gpu_slowed(series: Sequence[Series], begin_ns: int, end_ns: int) -> Iterable[Finding]:
    """A GPU that is too hot or at its power limit is another machine from then on."""
    for one in (one for one in series if one.channel.name.endswith("/clocks_event_reasons")):
        seen = {int(value) for value in inside(one, begin_ns, end_ns)}
        if reasons := [
            word
            for bit, word in SLOW_REASONS.get(one.channel.meter, {}).items()
            if any(value & bit for value in seen)
        ]:
            yield Finding.of(
                Code.GPU_SLOWED, f"{one.channel.name.split('/')[1]} was slowed down: {', '.join(reasons)}"
            )
