"""The rules of validity: one function each, from what a run left to findings. Nothing is ever deleted."""

from __future__ import annotations

from collections.abc import Sequence

from harness.checks.base import INVALID
from harness.checks.energy import (
    counter_disagrees,
    energy_incomplete,
    meter_lost,
    window_too_short,
    wrap_could_hide,
)
from harness.checks.gpu import foreign_check_blind, foreign_on_gpu, gpu_slowed
from harness.checks.host import machine_shared, machine_strained
from harness.checks.work import quality_below_target, stale, unpinned
from harness.records import Finding

__all__ = [
    "counter_disagrees",
    "energy_incomplete",
    "foreign_check_blind",
    "foreign_on_gpu",
    "gpu_slowed",
    "machine_shared",
    "machine_strained",
    "meter_lost",
    "quality_below_target",
    "reason_invalid",
    "stale",
    "unpinned",
    "window_too_short",
    "wrap_could_hide",
]


def reason_invalid(findings: Sequence[Finding]) -> str:
    """Why a run does not count; empty if it does."""
    return "; ".join(finding.message for finding in findings if finding.severity == INVALID)
