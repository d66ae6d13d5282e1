"""Which functions the joules of profiled runs go to, and in which of them two runs of the same work differ."""

from __future__ import annotations

from typing import Any

from harness.analysis.function_costs import FunctionCosts
from harness.analysis.profile_pairs import pairs
from harness.analysis.profiled import ProfiledRun
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports import differences, flames, function_tables
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


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    runs = analysis.profiles.runs
    if not runs:
        return {}
    entries = [_entry(analysis, one, number) for number, one in enumerate(runs)]
    held = pairs(analysis.profiles, analysis.reference)
    types = analysis.profiles.types
    apart = [differences.entry(one, types, number, "differences") for number, one in enumerate(held)]
    return {"entries": entries, "pairs": apart}


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
