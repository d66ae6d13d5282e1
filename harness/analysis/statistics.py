"""What stands behind the verdicts: tests, effect sizes, and whether the runs are what the tests assume."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from harness.analysis.compare import by_block, log_differences
from harness.analysis.costs import QUANTITIES
from harness.analysis.description import shapiro
from harness.analysis.effects import a12, magnitude
from harness.analysis.equivalence import tost
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.multiplicity import CORRECTIONS
from harness.analysis.order import drift, lag1
from harness.analysis.significance import PAIRED
from harness.analysis.verdict import MARGIN

STATISTICS_COLUMNS = [
    *GROUP, TREATMENT, "quantity", "reference", "blocks", "test", "statistic", "p", "p_corrected", "smallest_p",
    "tost_p", "a12", "cliffs_delta", "magnitude", "shapiro_w", "shapiro_p", "lag1", "drift_rho", "drift_p", "reason",
]  # fmt: skip
P_COLUMNS = ["p", "tost_p"]
LOOKED_AT = "an adaptive campaign has no p-value: its intervals allow for the looks"
JUDGED = [one.name for one in QUANTITIES if one.judged]


def statistics(
    runs: pd.DataFrame, costs: pd.DataFrame, groups: tuple[Group, ...], margin: float = MARGIN,
    test: str = "paired-log-t", correction: str = "holm", adaptive: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """STATISTICS_COLUMNS: one row per group, treatment and judged quantity whose mean is known.

    `runs` are those that count, `costs` COST_COLUMNS of them, `test` a name of PAIRED. Shapiro-Wilk is of the log
    differences to the reference; lag 1 and drift are of the treatment's own values in the order of its runs. Null for
    the reference, and where `reason` says why there is no comparison. p_corrected: over all comparisons of the same
    quantity, for the quantities of one run are no separate questions. An adaptive campaign has no p: its looks are in
    its intervals (harness.analysis.sequential).
    """
    known = costs[costs["quantity"].isin(JUDGED) & costs["mean"].notna()]
    inside = {tuple(group.key.values()): group.select(runs) for group in groups}
    rows = [
        {**row, **_alone(of_group, row), **_pair(of_group, row, test, margin)}
        for row in known[[*GROUP, TREATMENT, "quantity", "reference", "ratio", "ratio_reason"]].to_dict(
            "records"
        )
        for of_group in [inside[tuple(row[name] for name in GROUP)]]
    ]
    table = pd.DataFrame(rows, columns=STATISTICS_COLUMNS)
    if adaptive:
        table = table.assign(**dict.fromkeys(P_COLUMNS), reason=table["reason"].replace("", LOOKED_AT))
    corrected = table.groupby("quantity")["p"].transform(CORRECTIONS[correction])
    return table.assign(p_corrected=corrected.astype("float64"))


def _alone(runs: pd.DataFrame, row: dict[Any, Any]) -> dict[str, float | None]:
    mine = runs[runs[TREATMENT] == row[TREATMENT]].sort_values(["block", "position"])
    values = np.log(mine[row["quantity"]].dropna().to_numpy(dtype=np.float64))
    rho, p = drift(values)
    return {"lag1": lag1(values), "drift_rho": rho, "drift_p": p}


def _pair(runs: pd.DataFrame, row: dict[Any, Any], test: str, margin: float) -> dict[str, Any]:
    if row[TREATMENT] == row["reference"]:
        return {"reason": "the reference"}
    if pd.isna(row["ratio"]):
        return {"reason": row["ratio_reason"]}
    sides = [runs[runs[TREATMENT] == row[name]] for name in (TREATMENT, "reference")]
    differences = log_differences(*(by_block(one, row["quantity"]) for one in sides))
    assert differences is not None  # where there is a ratio, there are blocks
    found, normal = PAIRED[test](differences), shapiro(differences)
    share = a12(*(one[row["quantity"]].dropna().to_numpy(dtype=np.float64) for one in sides))
    return {
        "blocks": len(differences),
        "test": found.name,
        "statistic": found.statistic,
        "p": found.p,
        "smallest_p": found.smallest_p,
        "tost_p": float(tost(differences, margin)),
        "a12": share,
        "cliffs_delta": None if share is None else 2 * share - 1,
        "magnitude": None if share is None else magnitude(share),
        "shapiro_w": normal.w,
        "shapiro_p": normal.p,
        "reason": found.reason,
    }
