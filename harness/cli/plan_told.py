"""A plan as a person reads it: its treatments with what varies, and its runs in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from harness.analysis.groups import in_words
from harness.cli import screen
from harness.planning.plan import duration_s
from harness.records import Plan, PlannedRun, Treatment
from harness.records.plan import BY_LOOKING
from reports.formats import listed, plural


def print_plan(plan: Plan, runs: int) -> None:
    """The treatments with what varies; what all of a workload share stands below, once."""
    _print(plan, plan.treatments, {})
    for name, settings in _shared(plan).items():
        if settings:
            screen.say(f"settings of {name}: {_words(settings)}")
    for reason, count in Counter(one.reason for one in plan.skipped).items():
        screen.say(f"left out, {plural(count, 'treatment')}: {reason}")
    screen.say(
        f"profile {plan.profile}: {plural(len(plan.treatments), 'treatment')} x "
        f"{plural(plan.repetitions, 'block')}{_profiled(plan)}, {plural(runs, 'run')} with preparation, "
        f"about {_duration(duration_s(plan, runs))}; seed {plan.seed}"
    )


def _profiled(plan: Plan) -> str:
    count = plan.profile_runs
    tools = "the profiler" if plan.profile_tools == BY_LOOKING else f"each of {listed(plan.profile_tools)}"
    return f", then {plural(count, 'run')} of each under {tools}, never compared" if count else ""


def print_order(plan: Plan, runs: Sequence[PlannedRun]) -> None:
    """The runs one by one, with what varies."""
    numbered = {
        "block": [str(run.block) for run in runs],
        "run": [str(run.position) for run in runs],
        "purpose": [run.purpose for run in runs],
        "by": [run.profiler or "" for run in runs],
    }
    _print(plan, [run.treatment for run in runs], numbered)


def _print(plan: Plan, treatments: Sequence[Treatment], before: Mapping[str, Sequence[str]]) -> None:
    """A column that says the same of every treatment is a line below the table."""
    shared = _shared(plan)
    columns = {
        **before,
        "workload": [one.workload for one in treatments],
        "framework": [one.framework for one in treatments],
        "version": [one.version for one in treatments],
        "stage": [one.stage for one in treatments],
        "device": [one.device for one in treatments],
        "data set": [one.dataset for one in treatments],
        "settings": [_own(one, shared.get(one.workload)) for one in treatments],
    }
    alike = [name for name in ("device", "data set") if len(set(columns[name])) == 1]
    screen.print_columns({name: cells for name, cells in columns.items() if name not in alike})
    for name in alike:
        screen.say(f"{name} of all: {columns[name][0]}")


def _shared(plan: Plan) -> dict[str, dict[str, Any]]:
    """By workload, the settings that no treatment of it has otherwise."""
    found: dict[str, dict[str, Any]] = {}
    for one in plan.treatments:
        before = found.get(one.workload, one.settings)
        found[one.workload] = {
            name: value for name, value in before.items() if one.settings.get(name) == value
        }
    return found


def _own(treatment: Treatment, shared: Mapping[str, Any] | None) -> str:
    """Those that others of its workload do not have; none of a run that is no treatment of the plan."""
    if shared is None:
        return ""
    return _words({name: value for name, value in treatment.settings.items() if name not in shared})


def _words(settings: Mapping[str, Any]) -> str:
    return ", ".join(in_words(name, value) for name, value in settings.items())


def _duration(seconds: float) -> str:
    return plural(round(seconds / 60), "minute") if seconds < 3 * 3600 else f"{seconds / 3600:.1f} hours"
