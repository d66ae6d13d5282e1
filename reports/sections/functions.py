"""Which functions the joules of profiled runs go to, and in which of them two runs of the same work differ."""

from __future__ import annotations

from typing import Any

from harness.analysis.function_costs import FunctionCosts
from harness.analysis.profile_pairs import ProfiledPair, pairs
from harness.analysis.profiled import ProfiledRun
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports import difference_tables, flames, function_tables
from reports.flames import Flame
from reports.formats import quantity
from reports.parts import Block, Sentence
from reports.wording import anchor

TITLE, ORDER = "Functions by joules", 34
CAPTION = (
    "Each function below the one that called it, as wide as its joules. Frames of Python's import machinery are left "
    "out where it only passes through. Arrow keys go from frame to frame, Enter and a click make one as wide as all, "
    "Escape shows the whole again. The tables below have the numbers, with intervals."
)
APART = (
    "Widths are joules of the run that is chosen above it, colours are differences of what a function itself took: "
    "blue is less and orange more than in {reference}. The table below has the largest ones."
)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    runs = analysis.profiles.runs
    if not runs:
        return {}
    entries = [_entry(analysis, one, number) for number, one in enumerate(runs)]
    held = pairs(analysis.profiles, analysis.reference)
    return {"entries": entries, "pairs": [_pair(analysis, one, number) for number, one in enumerate(held)]}


def _entry(analysis: Analysis, run: ProfiledRun, index: int) -> dict[str, Any]:
    key, title = anchor("functions", index), f"{run.name}: {run.work.title}"
    if run.costs is None:
        return {"block": Block(key, title, (Sentence(f"Not told: {run.reason}"),)), "flame": None}
    types = analysis.profiles.types
    tables = tuple(function_tables.of_run(run.costs, types, title, index))
    block = Block(key, title, (_told_of(run, run.costs),), tables=tables)
    return {"block": block, "flame": _flame(run.costs, title, index)}


def _flame(costs: FunctionCosts, title: str, index: int) -> Flame:
    label = f"Energy flame graph of {title}; the tables below have its numbers"
    return Flame(f"flame-{index + 1}", title, label, CAPTION, flames.data_of({"": costs.stacks}))


def _told_of(run: ProfiledRun, costs: FunctionCosts) -> Sentence:
    whole = f"{quantity(costs.energy_j, 'J')}, {costs.provenance}"
    return Sentence(
        f"{whole}. Whose they are is attributed by sampling, not measured.", f"{run.run.folder.name}:"
    )


def _pair(analysis: Analysis, pair: ProfiledPair, index: int) -> dict[str, Any]:
    key = anchor("differences", index)
    title = f"{pair.other.name} against {pair.reference.name}: {pair.reference.work.title}"
    if pair.costs is None:
        sentence = Sentence(f"Not held against each other: {pair.reason}.")
        return {"block": Block(key, title, (sentence,)), "flame": None}
    one, other = pair.costs
    table = difference_tables.of_pair(pair, analysis.profiles.types, title, index)
    data = flames.data_of({pair.reference.name: one.stacks, pair.other.name: other.stacks})
    label = f"Difference flame graph of {title}; the table below has its numbers"
    return {
        "block": Block(key, title, (Sentence(_told(one, other)),), tables=(table,)),
        "flame": Flame(f"apart-{index + 1}", title, label, APART.format(reference=pair.reference.name), data),
    }


def _told(one: FunctionCosts, other: FunctionCosts) -> str:
    return (
        f"{quantity(other.energy_j, 'J')} against {quantity(one.energy_j, 'J')} of the reference, {one.provenance}. "
        "One profiled run of each: this shows where to look, and is no verdict."
    )
