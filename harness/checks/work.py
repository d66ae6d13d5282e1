"""Whether the work was the work that was asked for, in an environment that others can repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.findings.codes import Code
from harness.records import Finding
from suite.protocol import Event
from suite.task import Direction, Metric


def quality_below_target(
    events: Sequence[Event], dataset: str, metric: Metric | None, floor: Mapping[str, float]
) -> Iterable[Finding]:
    """A run that did not learn its task, or does not tell, is not the work that was asked for (rule R29).

    Where less is better the floor is a ceiling. `metric`: None of a run that has no quality.
    """
    last = next((event for event in reversed(events) if event.kind == "metrics"), None)
    if metric is None or dataset not in floor:
        return
    told = None if last is None else last.data["values"].get(metric.name)
    value = told if isinstance(told, int | float) else None
    if value is None or metric.is_better(floor[dataset], value):
        side = "below" if metric.direction is Direction.HIGHER else "above"
        yield Finding.of(
            Code.QUALITY_BELOW_TARGET,
            f"{metric.name} {_shown(value)} is {side} {floor[dataset]} on {dataset}",
        )


def _shown(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:.4f}" if abs(value) < 1e6 else f"{value:.4g}"


def stale(environment: Mapping[str, Any], suite_sha256: str) -> Iterable[Finding]:
    """Whoever allows a stale image runs workloads that the checkout does not hold."""
    held = environment.get("suite_sha256")
    if held is not None and held != suite_sha256:
        yield Finding.of(
            Code.STALE_IMAGE, "the image's workloads are not those of the checkout (--allow-stale)"
        )


def unpinned(isolation: str) -> Iterable[Finding]:
    """Versions of an interpreter that the user brought are recorded, not pinned."""
    if isolation == "interpreter":
        yield Finding.of(
            Code.UNPINNED_ENVIRONMENT,
            "the framework ran in an interpreter of the user's: versions are recorded, not pinned",
        )
