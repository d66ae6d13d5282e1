"""Two profiled runs of the same work held side by side, function by function: where to look, and no verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness.analysis.function_costs import FunctionCosts, of_run
from harness.analysis.profiled import ProfiledRun, Profiles
from harness.analysis.reference import Reference
from harness.analysis.tables import idle_w_before
from harness.attribution.functions import OTHERS


@dataclass(frozen=True)
class ProfiledPair:
    """`rows`, the largest difference first: function, reference_j, joules, difference_j, half_width_j.

    Joules are null of a function that was never seen in one. The half-widths are of attributing alone: how much one
    run differs from the next of its kind is in none of them. `costs`: of the reference and the other, in which each
    function of `rows` has a row of its own; None where the two are not held against each other, with the reason.
    `names` tell the two apart.
    """

    reference: ProfiledRun
    other: ProfiledRun
    rows: pd.DataFrame
    costs: tuple[FunctionCosts, FunctionCosts] | None
    names: tuple[str, str]
    reason: str = ""


def pairs(profiles: Profiles, reference: Reference) -> Sequence[ProfiledPair]:
    """Of each work every other run against that of the reference; of runs of one name the first counts."""
    found: list[ProfiledPair] = []
    for seen in dict.fromkeys((one.work, one.tool) for one in profiles.told):
        named = {one.name: one for one in reversed(profiles.told) if (one.work, one.tool) == seen}
        several = list(reversed(named.values()))
        first = next((one for one in several if one.treatment == reference.treatment), several[0])
        found += [
            pair_of((profiles, first), (profiles, one), (first.name, one.name))
            for one in several
            if one is not first
        ]
    return found


def pair_of(
    reference: tuple[Profiles, ProfiledRun], other: tuple[Profiles, ProfiledRun], names: tuple[str, str]
) -> ProfiledPair:
    """Two runs, each with those of its own campaign."""
    first, second = reference[1], other[1]
    if reason := _not_alike(first, second):
        return ProfiledPair(first, second, pd.DataFrame(), None, names, reason)
    functions = {*_functions(first), *_functions(second)} - {OTHERS}
    one, another = (_with(profiles, run, functions) for profiles, run in (reference, other))
    return ProfiledPair(first, second, _differences(one, another), (one, another), names)


def _not_alike(first: ProfiledRun, other: ProfiledRun) -> str:
    """Joules of different kinds are never held against each other (rule R40)."""
    kinds = [one.costs.provenance if one.costs else "" for one in (first, other)]
    of = [{one.name for one in run.run.record.channels if one.boundary} for run in (first, other)]
    if kinds[0] != kinds[1]:
        return f"{kinds[0]} and {kinds[1]} energy are never compared"
    return "" if of[0] == of[1] else "their energy is the sum of different channels"


def _functions(run: ProfiledRun) -> Sequence[str]:
    return [] if run.costs is None else run.costs.rows["function"].tolist()


def _with(profiles: Profiles, run: ProfiledRun, names: Collection[str]) -> FunctionCosts:
    """Anew, so that a function that is worth a row in one has its own in the other."""
    return of_run(run.run, idle_w_before(profiles.campaign, run.run.record.planned.block), names)


def _differences(one: FunctionCosts, other: FunctionCosts) -> pd.DataFrame:
    """What was never seen took no joules that could be told: null, and 0 in the difference."""
    columns = ["function", "joules", "half_width_j"]
    told = one.rows[columns].merge(other.rows[columns], "outer", "function", suffixes=("_one", "_other"))
    both = told.fillna(0.0)
    rows = pd.DataFrame(
        {
            "function": told["function"],
            "reference_j": told["joules_one"],
            "joules": told["joules_other"],
            "difference_j": both["joules_other"] - both["joules_one"],
            "half_width_j": np.hypot(both["half_width_j_one"], both["half_width_j_other"]),
        }
    )
    order = rows["difference_j"].abs().sort_values(ascending=False, kind="stable").index
    return rows.loc[order].reset_index(drop=True)
