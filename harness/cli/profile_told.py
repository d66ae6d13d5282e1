"""Functions by joules, as a table for each profiled run, with the balance of its energy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness import store
from harness.analysis.function_costs import FunctionCosts, letters, of_run
from harness.analysis.groups import name_of, own_words
from harness.analysis.profiled import NATIVE_FRAMES
from harness.analysis.tables import idle_w_before
from harness.cli import profiler_told, screen
from harness.errors import SuiteError
from harness.exports.joule_stacks import FORMS
from harness.files.whole_files import write_text
from harness.records import Outcome, Profiler, Purpose, Treatment

LEAST_SHARE = 0.01  # of the run's energy: what has less is not listed
STACKS = "joules"  # by stack, in the forms that other programs draw


def tell(folder: Path) -> None:
    """Of every profiled run of the campaign; leaves its joules by stack beside its samples."""
    campaign = store.load_campaign(folder)
    apart = own_words(campaign.record.plan.treatments)
    for run in campaign.runs:
        if run.record.planned.purpose == Purpose.PROFILE:
            title = _title(run.record.planned.treatment, apart)
            _tell_or_say_why(campaign, run, title)
    profiler_told.tell_side_by_side(campaign)


def _title(treatment: Treatment, apart: Callable[[Treatment], str]) -> str:
    """E.g. mnist_mlp, torch 2.13.0, infer, mode compile."""
    parts = (treatment.workload, name_of(treatment), treatment.stage, apart(treatment))
    return ", ".join(part for part in parts if part)


def _tell_or_say_why(campaign: store.Campaign, run: store.Run, title: str) -> None:
    """One that cannot be told keeps nobody from the others and the report."""
    screen.say("")
    try:
        _tell_run(campaign, run, title)
    except SuiteError as error:
        screen.say(f"{title}: {error}")


def _tell_run(campaign: store.Campaign, run: store.Run, title: str) -> None:
    if run.record.outcome is not Outcome.OK:
        screen.say(f"{title}: {run.record.outcome}: {run.record.reason}")
        return
    idle_w = idle_w_before(campaign, run.record.planned.block)
    if not run.record.planned.looked_at:
        profiler_told.tell(run, title, idle_w)
        return
    if run.record.planned.profiler is Profiler.NATIVE:
        title = f"{title}, {NATIVE_FRAMES}"
    costs = of_run(run, idle_w)
    for ending, written in FORMS.values():
        write_text(run.folder / f"{STACKS}.{ending}", written(title, costs.stacks))
    screen.say(
        f"{title}: {costs.energy_j:.4g} J, {costs.provenance}; of functions by sampling, never compared"
    )
    _print_functions(costs)
    _print_phases(costs)
    _print_balance(costs)


def _print_functions(costs: FunctionCosts) -> None:
    rows = costs.rows[costs.rows["share"] >= LEAST_SHARE]
    columns = {
        "function, own": rows["function"].tolist(),
        "J": [f"{one:.3g}" for one in rows["joules"]],
        "±": [f"{one:.2g}" for one in rows["half_width_j"]],
        "share": [f"{one:.1%}" for one in rows["share"]],
        "s": [f"{one:.3g}" for one in rows["seconds"]],
        "W": [f"{one:.3g}" for one in rows["power_w"]],
        "alike": letters(rows["group"].tolist()),
    }
    screen.print_columns(columns)
    if any(columns["alike"]):
        screen.say(
            "functions with the same letter alternate too fast for the meter to tell their powers apart"
        )


def _print_phases(costs: FunctionCosts) -> None:
    rows = costs.phases[costs.phases["joules"] > 0]
    parts = (f"{row.phase} {row.joules:.3g} ± {row.half_width_j:.2g}" for row in rows.itertuples())
    screen.say(f"J by phase: {', '.join(parts)}")


def _print_balance(costs: FunctionCosts) -> None:
    found = costs.found
    parts = {"functions": float(found.joules.sum()), "at rest": found.idle_j, "not seen": found.nobody_j}
    told = " + ".join(f"{name} {one:.4g} J" for name, one in parts.items())
    screen.say(f"{told} = {found.total_j:.4g} J")
