"""Whether a run's energy is all there, and what its window can tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.devices import is_gpu, meters_of_others
from harness.energy.power_limits import ceiling_w
from harness.energy.series import Series, gauge_integral, increase, seconds, wrap_hidden
from harness.findings.codes import Code, Severity
from harness.records import WALL, Channel, ChannelKind, Finding, Unavailable
from harness.worker.phases import Phase, windows

MAX_DISAGREEMENT = 0.05
GPU_DOMAINS = "gpu"  # gpu, gpu_memory, gpu_module
GPU_ALONE = {"gpu", "gpu_memory"}  # a Grace Hopper module's energy holds its CPU's
MIN_WINDOW_S = 1.0  # rule R9
MIN_GPU_WINDOW_S = 5.0  # rule R16: some sensors look at a quarter of the time
FEW_UPDATES = 5  # of any sensor


def window_too_short(channels: Sequence[Channel], go_ns: int, done_ns: int) -> Iterable[Finding]:
    """Short windows hold few updates of the sensor."""
    duration_s, least_s = seconds(go_ns, done_ns), _least_s(channels)
    if duration_s < least_s:
        yield Finding.of(
            Code.WINDOW_TOO_SHORT, f"the run lasted {duration_s:.2f} s, less than {least_s:.3g} s"
        )


def part_too_short(
    channels: Sequence[Channel], several: Sequence[Phase], parts: Iterable[str]
) -> Iterable[Finding]:
    """So do those of a part of the stage, of which each pass has one: its batches, side by side."""
    least_s = _least_s(channels)
    for name in parts:
        lengths_s = [seconds(*window) for window in windows(several, name)]
        if lengths_s and (mean_s := sum(lengths_s) / len(lengths_s)) < least_s:
            yield Finding.of(
                Code.PART_TOO_SHORT,
                f"{name} lasted {mean_s:.2g} s in each pass, less than {least_s:.3g} s",
            )


def _least_s(channels: Sequence[Channel]) -> float:
    slowest_s = max((one.update_s or 0.0 for one in channels if one.boundary), default=0.0)
    return max(MIN_GPU_WINDOW_S if _on_gpu(channels) else MIN_WINDOW_S, FEW_UPDATES * slowest_s)


def _on_gpu(channels: Sequence[Channel]) -> bool:
    """Whether a GPU is in the run's energy."""
    return any(one.boundary and one.domain.startswith(GPU_DOMAINS) for one in channels)


def meter_lost(lost: Sequence[Unavailable], channels: Sequence[Channel]) -> Iterable[Finding]:
    """A run whose energy channel stopped has no energy."""
    addends = [channel for channel in channels if channel.boundary]
    energetic = {one.meter for one in addends} | {_device(one).replace("/", " ") for one in addends}
    for one in lost:
        yield Finding.of(
            Code.METER_LOST,
            f"{one.meter}: {one.reason}",
            severity=Severity.INVALID if one.meter in energetic else Severity.WARNING,
            advice=one.remedy,
        )


def _device(channel: Channel) -> str:
    """http/plug of http/plug/power: one of several that are asked, and fail, each by itself."""
    return "/".join(channel.name.split("/")[:2])


def wrap_could_hide(series: Sequence[Series]) -> Iterable[Finding]:
    """A gap between readings so long that a counter may have gone round unseen (rule R1)."""
    for one in series:
        if one.channel.boundary and wrap_hidden(one, ceiling_w(one.channel.domain)):
            yield Finding.of(
                Code.WRAP_COULD_HIDE, f"{one.channel.name} was not read often enough to see every wrap"
            )


def counter_disagrees(series: Sequence[Series], begin_ns: int, end_ns: int) -> Iterable[Finding]:
    """A GPU's energy counter against its integrated power: both are kept, more than 5 % is said (rule R13)."""
    by_name = {one.channel.name: one for one in series}
    for name, counter in by_name.items():
        power = by_name.get(f"{name.rpartition('/')[0]}/power_instant")
        if power is None or not _counts_a_gpu(counter.channel):
            continue
        counted, integrated = increase(counter, begin_ns, end_ns), gauge_integral(power, begin_ns, end_ns)
        if (
            counted
            and integrated
            and abs(integrated.value - counted.value) > MAX_DISAGREEMENT * counted.value
        ):
            yield Finding.of(
                Code.COUNTER_DISAGREES,
                f"{name} counted {counted.value:.4g} J, its integrated power gives {integrated.value:.4g} J",
            )


def _counts_a_gpu(channel: Channel) -> bool:
    return (
        channel.kind is ChannelKind.COUNTER and channel.unit == "J" and channel.domain.startswith(GPU_DOMAINS)
    )


def energy_not_covered(
    series: Sequence[Series], channels: Sequence[Channel], begin_ns: int, end_ns: int
) -> Iterable[Finding]:
    """An addend that was not read from before the window until after it: the run has no energy."""
    read = {one.channel.name for one in series if _encloses(one, begin_ns, end_ns)}
    if missing := [one.name for one in channels if one.boundary and one.name not in read]:
        yield Finding.of(
            Code.ENERGY_NOT_COVERED,
            f"{', '.join(missing)} was not read over the whole run, so that it has no energy",
        )


def _encloses(series: Series, begin_ns: int, end_ns: int) -> bool:
    return len(series.t_ns) > 1 and bool(series.t_ns[0] <= begin_ns and series.t_ns[-1] >= end_ns)


def readings_missed(missed: Mapping[str, int], channels: Sequence[Channel]) -> Iterable[Finding]:
    """Readings of the run's energy that failed: what they would have shown is not known."""
    energetic = {_device(channel) for channel in channels if channel.boundary}
    for channel in (one for one in channels if missed.get(one.name) and _device(one) in energetic):
        yield Finding.of(
            Code.READINGS_MISSED, f"the meter of {channel.name} gave no reading {missed[channel.name]} times"
        )


def energy_incomplete(channels: Sequence[Channel], device: str) -> Iterable[Finding]:
    """A sum without the processor that did the work, or without the one that fed it, is no total."""
    domains = {channel.domain for channel in channels if channel.boundary}
    if any(domain == WALL or ":" in domain for domain in domains):
        return  # it holds all, or what only the user knows who chose it
    others = meters_of_others(device)
    if domains and is_gpu(device) and not _on_gpu([one for one in channels if one.meter not in others]):
        idle = f", where gpu is another vendor's ({device} did the work)" if _on_gpu(channels) else ""
        yield Finding.of(
            Code.GPU_ENERGY_MISSING,
            f"the run worked on a GPU, but its energy holds {', '.join(sorted(domains))} only{idle}",
        )
    if _on_gpu(channels) and domains <= GPU_ALONE:
        yield Finding.of(
            Code.CPU_ENERGY_MISSING, "the energy is the GPU's alone: the CPU that feeds it is not in it"
        )
