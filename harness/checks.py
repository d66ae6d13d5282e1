"""The rules of validity: one function each, from what a run left to findings. Nothing is ever deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.energy import seconds
from harness.records import Channel, Finding, Unavailable
from suite.protocol import Event

INVALID = "invalid"
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
