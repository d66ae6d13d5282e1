"""The machine before each block: at rest, with a container at rest, and at work that never changes (R25, R27)."""

from __future__ import annotations

import pandas as pd

from harness.analysis.replicates import SESSION
from harness.analysis.tables import Tables
from harness.records import Outcome, Purpose

BASELINE_COLUMNS = [
    "idle_power_w", "container_idle_power_w", "control_energy_j", "control_duration_s", "provenance",
]  # fmt: skip


def baselines(raw: Tables) -> pd.DataFrame:
    """BASELINE_COLUMNS by measured block; null where one has no baseline or no control run that counts.

    Of a merged campaign of several sessions, the session of each, too.
    """
    measured = (raw.runs["block"] > 0) & (raw.runs["purpose"] != Purpose.PROFILE)
    by_block = raw.runs[measured].groupby("block")
    idle_w = by_block["idle_power_w"].first()
    where = {SESSION: by_block[SESSION].first()} if SESSION in raw.runs else {}
    controls = raw.runs[(raw.runs["purpose"] == Purpose.CONTROL) & (raw.runs["outcome"] == Outcome.OK)]
    found = controls[["run_id", "block", "provenance"]]
    for phase in ("idle", "work"):
        costs = raw.phases.loc[raw.phases["phase"] == phase, ["run_id", "energy_j", "duration_s"]]
        found = found.merge(costs.add_suffix(f"_{phase}"), left_on="run_id", right_on=f"run_id_{phase}")
    table = found.set_index("block").reindex(idle_w.index)
    return pd.DataFrame(
        {
            "idle_power_w": idle_w,
            "container_idle_power_w": table["energy_j_idle"] / table["duration_s_idle"],
            "control_energy_j": table["energy_j_work"],
            "control_duration_s": table["duration_s_work"],
            "provenance": table["provenance"],
            **where,
        }
    )
