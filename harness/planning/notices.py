"""What is said aloud before the first run, on the screen and in the report; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.findings.codes import Code
from harness.records import Finding, Plan
from suite.spec import Spec


def missing_data(plan: Plan, preferred: Mapping[str, str]) -> Iterator[Finding]:
    """Where a workload runs on another data set than its preferred one; `preferred` maps workload to data set."""
    for workload, dataset in _datasets(plan).items():
        if dataset != preferred[workload]:
            yield Finding.of(
                Code.DATA_NOT_PREPARED,
                f"{workload} runs on {dataset}: {preferred[workload]} is not prepared",
                advice=f"suite data fetch {preferred[workload]}",
            )


def scaled_down(plan: Plan, specs: Mapping[str, Spec]) -> Iterator[Finding]:
    """A profile in which workloads are smaller than their own selves names each change."""
    changes = {
        workload: ", ".join(_changes(specs[workload], plan.profile, dataset))
        for workload, dataset in sorted(_datasets(plan).items())
        if plan.profile in specs[workload].profiles
    }
    scaled = [f"{workload} ({several})" for workload, several in changes.items() if several]
    if scaled:
        yield Finding.of(
            Code.SCALED_DOWN, f"profile {plan.profile} scales data and training: {', '.join(scaled)}"
        )


def _datasets(plan: Plan) -> dict[str, str]:
    return {treatment.workload: treatment.dataset for treatment in plan.treatments}


def _changes(spec: Spec, profile: str, dataset: str) -> Iterator[str]:
    """In words: "mnist to digits", "epochs 3 to 12"."""
    own: dict[str, Any] = {"": spec.datasets[0]} | vars(spec)
    for name, value in ({"": dataset} | dict(spec.profiles[profile].settings)).items():
        if value != own[name]:
            yield f"{name} {own[name]} to {value}".lstrip()
