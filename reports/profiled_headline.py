"""The first lines of a campaign that only profiles: which functions the joules of each run go to, or the time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.analysis.function_costs import FunctionCosts
from harness.analysis.groups import Group
from harness.analysis.profiled import Profiles
from harness.attribution.functions import OTHERS
from reports.formats import THIN, listed, number, plural, quantity
from reports.parts import Sentence

QUESTION = "The functions that took most by themselves, attributed by sampling, not measured:"
NAMED, ANSWERS = 3, 12  # functions of a run, and runs


def headline(profiles: Profiles) -> dict[str, Any]:
    """What differs from the headline of other campaigns."""
    workloads = profiles.workloads
    works = list(dict.fromkeys(workloads))
    what = listed(works) if 0 < len(works) <= NAMED else plural(len(works), "workload")
    return {
        "title": f"Which functions {'cost the joules' if profiles.runs else 'took the time'} of {what}",
        "counts": f"{plural(len(workloads), 'profiled run')}: none is compared, or counts as measured.",
        "resolution": "",
        "question": QUESTION if profiles.runs else "",
        "answers": list(_answers(profiles)) if profiles.runs else [],
    }


def _answers(profiles: Profiles) -> Iterator[Sentence]:
    if not profiles.told:
        yield Sentence("of no run can they be told; below is why.")
    for run in profiles.told[:ANSWERS]:
        if run.costs is not None:
            yield Sentence(_answer(run.costs), f"{run.name}, {_stage(run.work)}:")
    if (more := len(profiles.told) - ANSWERS) > 0:
        yield Sentence(f"and {plural(more, 'run')} more, below.")


def _stage(work: Group) -> str:
    return f"{work.workload} {work.stage}"


def _answer(costs: FunctionCosts) -> str:
    """The largest functions of a run."""
    rows = costs.rows[costs.rows["function"] != OTHERS].head(NAMED)
    named = [f"{row['function']} {number(100 * row['share'], 2)}{THIN}%" for row in rows.to_dict("records")]
    whole = f"{quantity(costs.energy_j, 'J')} {costs.provenance}"
    return f"{whole}, of which {listed(named)}" if named else f"{whole}; no function can be named"
