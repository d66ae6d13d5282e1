"""The rules of validity: one function each, from what a run left to findings. Nothing is ever deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.records import Channel, Finding, Unavailable
from harness.series import Series, gauge_integral, gauge_peak, increase, seconds, wrap_hidden
from suite.protocol import Event

INVALID = "invalid"
MAX_POWER_W = 1000.0  # of one package, generously
MAX_DISAGREEMENT = 0.05
GPU_ALONE = {"gpu", "gpu_memory"}  # a Grace Hopper module's energy holds its CPU's
MIN_WINDOW_S = 1.0  # rule R9, for RAPL


def quality_below_target(
    events: Sequence[Event], dataset: str, floor: Mapping[str, float]
) -> Iterable[Finding]:
    """A run that did not learn its task is not the work that was asked for (rule R29)."""
    last = next((event for event in reversed(events) if event.kind == "metrics"), None)
    if last is None or dataset not in floor:
        return
    metric = last.data.get("metric")
    value = last.data.get("values", {}).get(metric)
    if not isinstance(value, float) or value < floor[dataset]:
        shown = f"{value:.4f}" if isinstance(value, float) else "unknown"
        yield Finding(
            code="quality-below-target",
            severity=INVALID,
            message=f"{metric} {shown} is below {floor[dataset]} on {dataset}",
            advice="the run does not count; if it recurs, verify the implementation",
        )


def window_too_short(go_ns: int, done_ns: int) -> Iterable[Finding]:
    """Short windows hold few updates of the sensor."""
    duration_s = seconds(go_ns, done_ns)
    if duration_s < MIN_WINDOW_S:
        yield Finding(
            code="window-too-short",
            severity="warning",
            message=f"the run lasted {duration_s:.2f} s, less than {MIN_WINDOW_S:g} s",
            advice="raise the workload's epochs or passes: the energy of so short a window is uncertain",
        )


def meter_lost(lost: Sequence[Unavailable], channels: Sequence[Channel]) -> Iterable[Finding]:
    """A run whose energy channel stopped has no energy."""
    energetic = {channel.meter for channel in channels if channel.boundary}
    for one in lost:
        yield Finding(
            code="meter-lost",
            severity=INVALID if one.meter in energetic else "warning",
            message=f"{one.meter}: {one.reason}",
            advice=one.remedy,
        )


def wrap_could_hide(series: Sequence[Series]) -> Iterable[Finding]:
    """A gap between readings so long that a counter may have gone round unseen (rule R1)."""
    for one in series:
        if one.channel.boundary and wrap_hidden(one, MAX_POWER_W):
            yield Finding(
                code="wrap-could-hide",
                severity=INVALID,
                message=f"{one.channel.name} was not read often enough to see every wrap",
                advice="the machine was suspended or overloaded: free it for the measurement",
            )


def counter_disagrees(series: Sequence[Series], begin_ns: int, end_ns: int) -> Iterable[Finding]:
    """A GPU's energy counter against its integrated power: both are kept, more than 5 % is said (rule R13)."""
    by_name = {one.channel.name: one for one in series}
    for name, counter in by_name.items():
        power = by_name.get(name.removesuffix("energy") + "power_instant")
        if not name.startswith("nvml/") or not name.endswith("/energy") or power is None:
            continue
        counted, integrated = increase(counter, begin_ns, end_ns), gauge_integral(power, begin_ns, end_ns)
        if (
            counted
            and integrated
            and abs(integrated.value - counted.value) > MAX_DISAGREEMENT * counted.value
        ):
            yield Finding(
                code="counter-disagrees",
                severity="warning",
                message=f"{name} counted {counted.value:.4g} J, its integrated power gives {integrated.value:.4g} J",
                advice="sample faster, or run longer: power that varies within a sampling period is missed",
            )


def energy_incomplete(channels: Sequence[Channel], device: str) -> Iterable[Finding]:
    """A sum without the processor that did the work, or without the one that fed it, is no total."""
    domains = {channel.domain for channel in channels if channel.boundary}
    on_gpu = any(domain.startswith("gpu") for domain in domains)
    if domains and device != "cpu" and not on_gpu:
        yield Finding(
            code="gpu-energy-missing",
            severity=INVALID,
            message=f"the run worked on a GPU, but its energy holds {', '.join(sorted(domains))} only",
            advice="see suite meters for why the GPU's energy cannot be read",
        )
    if on_gpu and domains <= GPU_ALONE:
        yield Finding(
            code="cpu-energy-missing",
            severity="warning",
            message="the energy is the GPU's alone: the CPU that feeds it is not in it",
            advice="see suite meters for why the CPU's energy cannot be read; compare such runs with care",
        )


def foreign_check_blind(
    series: Sequence[Series], device: str, begin_ns: int, end_ns: int
) -> Iterable[Finding]:
    """A driver that never shows the run's own process would not show another's either (rule R19)."""
    shown = [one for one in series if one.channel.name.endswith("/compute_processes")]
    peaks = [gauge_peak(one, begin_ns, end_ns) for one in shown]
    if device != "cpu" and not any(peaks):
        yield Finding(
            code="foreign-check-blind",
            severity="warning",
            message="the driver shows no process on the GPU, not even the run's own",
            advice="run the harness outside containers and process namespaces, and make sure that nobody else computes",
        )


def foreign_on_gpu(processes: Sequence[str]) -> Iterable[Finding]:
    """Another process on the GPU spends joules that would be counted as the run's (rule R19)."""
    if processes:
        yield Finding(
            code="foreign-gpu-process",
            severity=INVALID,
            message=f"others computed on the GPU: {', '.join(processes)}",
            advice="stop them; the GPU must be the run's alone",
        )


def unpinned(isolation: str) -> Iterable[Finding]:
    """Versions of an interpreter that the user brought are recorded, not pinned."""
    if isolation == "interpreter":
        yield Finding(
            code="unpinned-environment",
            severity="info",
            message="the framework ran in an interpreter of the user's: versions are recorded, not pinned",
            advice="use --environment docker or virtualenv for a result that others can repeat",
        )


def reason_invalid(findings: Sequence[Finding]) -> str:
    """Why a run does not count; empty if it does."""
    return "; ".join(finding.message for finding in findings if finding.severity == INVALID)
