"""What stands behind the verdicts: tests, effect sizes, and whether the runs are what the tests assume."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from harness.analysis.compare import p_value
from harness.analysis.description import shapiro
from harness.analysis.effects import a12, magnitude
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.intervals import mean_and_error
from harness.analysis.multiplicity import SIMULTANEOUS, corrected
from harness.analysis.order import drift, lag1, within_sessions
from harness.analysis.pairs import Pair
from harness.analysis.quantities import named
from harness.analysis.significance import PAIRED, sign_flip, signed_rank
from harness.analysis.verdict import MARGIN, log_margin

STATISTICS_COLUMNS = [
    *GROUP, TREATMENT, "quantity", "reference", "blocks", "test", "statistic", "p", "p_corrected", "smallest_p",
    "tost_p", "a12", "cliffs_delta", "magnitude", "shapiro_w", "shapiro_p", "signed_rank_p", "sign_flip_p",
    "lag1_differences", "lag1", "drift_rho", "drift_p", "provenance", "reason",
]  # fmt: skip
P_COLUMNS = ["p", "tost_p", "signed_rank_p", "sign_flip_p"]
LOOKED_AT = "an adaptive campaign has no p-value: its intervals allow for the looks"
CONTEXT = [*GROUP, TREATMENT, "quantity", "reference", "ratio", "ratio_reason", "provenance"]
DEFAULT = "paired-log-t"


def statistics(
    runs: pd.DataFrame, costs: pd.DataFrame, groups: tuple[Group, ...], margin: float = MARGIN,
    test: str = DEFAULT, errors: str = SIMULTANEOUS, adaptive: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """STATISTICS_COLUMNS: one row per group, treatment and judged quantity whose mean is known.

    `runs` are those that count, `costs` COST_COLUMNS of them, `test` a name of PAIRED. Shapiro-Wilk and
    `lag1_differences` are of the log differences to the reference; lag 1 and drift are of the treatment's own values
    in the order of its runs. Null for the reference, and where `reason` says why there is no comparison. p_corrected:
    over the comparisons of a table, one quantity of the same work, by `errors` (harness.analysis.multiplicity): for
    the quantities of one run are no separate questions. `signed_rank_p` and `sign_flip_p` are of single comparisons,
    whatever the test. An adaptive campaign has no p: its looks are in
    its intervals (harness.analysis.sequential).
    """
    known = costs.loc[costs["quantity"].map(_judged) & costs["mean"].notna(), CONTEXT]
    of_treatments = {
        (*group.key.values(), name): part.sort_values(["block", "position"], kind="stable")
        for group in groups
        for name, part in group.select(runs).groupby(TREATMENT)
    }
    rows = [_row(row, of_treatments, test, margin) for row in known.to_dict("records")]
    table = pd.DataFrame(rows, columns=STATISTICS_COLUMNS)
    if adaptive:
        table = table.assign(**dict.fromkeys(P_COLUMNS), reason=table["reason"].replace("", LOOKED_AT))
    return table.assign(p_corrected=_corrected(table, groups, errors))


def _judged(quantity: str) -> bool:
    return named(quantity).judged


def _corrected(table: pd.DataFrame, groups: tuple[Group, ...], errors: str) -> pd.Series:
    found = pd.Series(np.nan, index=table.index)
    for group in groups:
        for _, rows in group.select(table).groupby("quantity"):
            found[rows.index] = corrected(rows["p"], rows["blocks"], errors, len(group.treatments) - 1)
    return found


def _row(
    row: dict[Hashable, Any], of_treatments: dict[tuple[Any, ...], pd.DataFrame], test: str, margin: float
) -> dict[Hashable, Any]:
    key, quantity = [row[name] for name in GROUP], row["quantity"]
    mine = of_treatments[*key, row[TREATMENT]]
    found: dict[Hashable, Any] = row | _order(mine, quantity)
    if row[TREATMENT] == row["reference"]:
        return {**found, "reason": "the reference"}
    if pd.isna(row["ratio"]):
        return {**found, "reason": row["ratio_reason"]}
    other = of_treatments[*key, row["reference"]]
    pair = named(quantity).pair(mine, other)
    assert pair is not None  # where there is a ratio, there are blocks
    return found | _test(pair, test, margin) | _effect(mine[quantity], other[quantity])


def _order(mine: pd.DataFrame, quantity: str) -> dict[str, float | None]:
    values = np.log(within_sessions(mine[mine[quantity].notna()], quantity))
    rho, p = drift(values)
    return {"lag1": lag1(values), "drift_rho": rho, "drift_p": p}


def _test(pair: Pair, test: str, margin: float) -> dict[str, Any]:
    """p of the t-test and of TOST allow for what measuring leaves unsure, as intervals do; ranks and signs cannot."""
    differences, unspread = pair.differences, pair.unspread
    found, normal = PAIRED[test](differences), shapiro(differences)
    p, tost_p = _chances(pair, margin)
    told = {
        "statistic": found.statistic,
        "p": p if found.name == DEFAULT else found.p,
        "smallest_p": found.smallest_p,
        "tost_p": tost_p,
        "shapiro_w": normal.w,
        "shapiro_p": normal.p,
        "signed_rank_p": signed_rank(differences).p,
        "sign_flip_p": sign_flip(differences).p,
    }
    return {
        "blocks": len(differences),
        "test": found.name,
        **({} if unspread else told),
        "lag1_differences": lag1(differences),
        "reason": unspread or found.reason or found.impossible(),
    }


def _chances(pair: Pair, margin: float) -> tuple[float | None, float | None]:
    """p of the paired log-t test, two-sided, and of equivalence (TOST)."""
    if pair.unspread:
        return None, None
    mean, error = (float(one) for one in mean_and_error(pair.differences))
    rest = error, len(pair.differences) - 1, pair.mean_measured
    return 2 * p_value(abs(mean), *rest), p_value(log_margin(margin) - abs(mean), *rest)


def _effect(mine: pd.Series, other: pd.Series) -> dict[str, Any]:
    share = a12(*(one.dropna().to_numpy(dtype=np.float64) for one in (mine, other)))
    assert share is not None  # where there is a ratio, both have values
    return {"a12": share, "cliffs_delta": 2 * share - 1, "magnitude": magnitude(share)}
