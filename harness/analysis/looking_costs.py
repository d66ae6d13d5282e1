"""What looking cost: the runs of a treatment under the profiler, held against its measured ones. Pure.

The profiled runs come after all blocks, so that they lie in none: Welch's interval over both samples of logarithms, not
differences within blocks. It holds what the machine did in between to be chance: a drift over the campaign is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy

from harness.analysis.compare import mixed, reach
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.intervals import CONFIDENCE
from harness.analysis.pairs import NO_SPREAD, Pair
from harness.analysis.quantities import named
from harness.analysis.quantity import Quantity
from harness.analysis.sessions import welch
from harness.analysis.tables import measured, profiled
from harness.analysis.verdict import Floats
from harness.records import IMPORTED, Profiler, Purpose
from harness.records.planned import FROM_OUTSIDE

LOOKED_AT = ("energy_j", "duration_s", "mean_power_w")
LOOKING_COLUMNS = [
    *GROUP, TREATMENT, "profiler", "quantity", "measured_runs", "profiled_runs", "measured", "profiled", "ratio", "low",
    "high", "provenance", "reason",
]  # fmt: skip
NOT_MEASURED = "nothing was measured without looking"
NONE_LOOKED_AT = "no profiled run came to its end"
ONE_PROFILED = "one profiled run: an interval needs two"
ONE_MEASURED = "one measured run: an interval needs two"
ALL_ALIKE = "all runs cost the same: nothing says how sure it is"


def looking_costs(runs: pd.DataFrame, groups: tuple[Group, ...]) -> pd.DataFrame:
    """LOOKING_COLUMNS, a row for each quantity of each treatment under each profiler; none of imported runs.

    `runs`: all that are stored, with rates and treatments; of a profiler within the environment nothing is said where
    nothing was measured: nobody looked. measured, profiled: geometric means; ratio: profiled over
    measured; low, high: 95 %. Null where `reason` says why.
    """
    own = runs[runs["isolation"] != IMPORTED]
    rows = [
        {**group.key, TREATMENT: name, "profiler": tool, "quantity": quantity, **_row(mine, named(quantity))}
        for group in groups
        for name, tool, mine in _by_treatment(group, own)
        for quantity in LOOKED_AT
    ]
    numbers = LOOKING_COLUMNS[LOOKING_COLUMNS.index("measured") : -2]
    return pd.DataFrame(rows, columns=LOOKING_COLUMNS).astype(dict.fromkeys(numbers, "float64"))


def _by_treatment(group: Group, runs: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The runs of each under each profiler, with its measured ones; treatments in the plan's order."""
    inside = group.select(runs)
    if not (inside["purpose"] == Purpose.PROFILE).any():
        return
    for name, tool in product(group.treatments, Profiler):
        mine = inside[inside[TREATMENT] == name]
        under, purpose = mine["profiler"] == str(tool), mine["purpose"]
        looked_at = tool in FROM_OUTSIDE or (purpose == Purpose.MEASURE).any()
        if looked_at and (purpose[under] == Purpose.PROFILE).any():
            yield name, str(tool), mine[(purpose != Purpose.PROFILE) | under]


def _row(runs: pd.DataFrame, quantity: Quantity) -> dict[str, Any]:
    """Of one treatment."""
    without, under = measured(runs), profiled(runs)
    found = {
        "measured_runs": len(without),
        "profiled_runs": len(under),
        "provenance": " and ".join(sorted({*without["provenance"].dropna(), *under["provenance"].dropna()})),
        "reason": next(_refused(without, under, quantity), ""),
    }
    if found["reason"]:
        return found
    pairs = quantity.logs(under).alone, quantity.logs(without).alone
    means = quantity.mean_of(under[quantity.name]), quantity.mean_of(without[quantity.name])
    if None in (*pairs, *means):
        return {**found, "reason": "not recorded"}
    return {**found, **dict(zip(("profiled", "measured"), means, strict=True)), **_ratio(*pairs)}


def _refused(without: pd.DataFrame, under: pd.DataFrame, quantity: Quantity) -> Iterator[str]:
    if under.empty:
        yield NONE_LOOKED_AT
    if without.empty:
        yield NOT_MEASURED
    if quantity.energy and (why := mixed(pd.concat([without, under]))):
        yield why


def _ratio(under: Pair | None, without: Pair | None) -> dict[str, Any]:
    """Of geometric means, each run one value."""
    assert under is not None and without is not None
    one, other = under.differences, without.differences
    mean = float(one.mean() - other.mean())
    if reason := _no_interval(one, other):
        return {"ratio": float(np.exp(mean)), "reason": reason}
    error, freedom = welch(one, other)
    critical = float(scipy.stats.t.isf((1 - CONFIDENCE) / 2, freedom))
    half = reach(error, critical, freedom, _measured(under, without)).total
    low, ratio, high = (float(np.exp(at)) for at in (mean - half, mean, mean + half))
    return {"ratio": ratio, "low": low, "high": high}


def _no_interval(under: Floats, without: Floats) -> str:
    """Why there is none; empty where there is one."""
    if min(len(under), len(without)) < 2:
        return ONE_PROFILED if len(under) < 2 else ONE_MEASURED
    return ALL_ALIKE if max(np.ptp(under), np.ptp(without)) <= NO_SPREAD else ""


def _measured(*pairs: Pair) -> float | None:
    """The standard uncertainty that measuring leaves in the difference of both means; None where nobody knows any."""
    known = [one.mean_measured for one in pairs if one.mean_measured is not None]
    return float(np.hypot.reduce(known)) if known else None
