"""A plan as a person reads it: its treatments with what varies, and its runs in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table

from harness.cli import screen
from harness.plan import duration_s
from harness.records import Plan, PlannedRun, Treatment
from reports.formats import plural


def print_plan(plan: Plan, runs: int) -> None:
    """The treatments with what varies; the settings that all of a workload share stand below, once."""
    shared = {
        name: _shared_settings(plan, name) for name in dict.fromkeys(t.workload for t in plan.treatments)
    }
    screen.console.print(_treatments(plan, shared))
    for name, settings in shared.items():
        if settings:
            screen.say(f"settings of {name}: {_settings(settings)}")
    for reason, count in Counter(one.reason for one in plan.skipped).items():
        screen.say(f"left out, {plural(count, 'treatment')}: {reason}")
    screen.say(
        f"profile {plan.profile}: {plural(len(plan.treatments), 'treatment')} x "
        f"{plural(plan.repetitions, 'block')}, {plural(runs, 'run')} with preparation, "
        f"about {_duration(duration_s(plan, runs))}; seed {plan.seed}"
    )


def _treatments(plan: Plan, shared: Mapping[str, Mapping[str, Any]]) -> Table:
    columns = ["workload", "framework", "version", "device", "stage", "data set"]
    varying = any(one.settings != shared[one.workload] for one in plan.treatments)
    table = screen.table(*columns, *["settings"] * varying)
    for one in plan.treatments:
        own = {name: value for name, value in one.settings.items() if name not in shared[one.workload]}
        table.add_row(*_cells(one), *[_settings(own)] * varying)
    return table


def _cells(one: Treatment) -> tuple[str, ...]:
    return one.workload, one.framework, one.version, one.device, one.stage, one.dataset


def _shared_settings(plan: Plan, workload: str) -> dict[str, Any]:
    """What no treatment of the workload has otherwise."""
    first, *others = [one.settings for one in plan.treatments if one.workload == workload]
    return {name: value for name, value in first.items() if all(one.get(name) == value for one in others)}


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds < 3 * 3600 else f"{seconds / 3600:.1f} hours"


def print_order(runs: Iterable[PlannedRun]) -> None:
    table = screen.table(
        "block", "run", "workload", "framework", "version", "device", "stage", "data set", "purpose"
    )
    for run in runs:
        table.add_row(str(run.block), str(run.position), *_cells(run.treatment), run.purpose)
    screen.console.print(table)
