"""What stands behind the verdicts: tests, corrected, effect sizes, equivalence, normality, and drift."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.groups import TREATMENT, Group
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports.formats import Unit, percent
from reports.parts import Block, Cell, Column, Row, Table, amount, chance, whole
from reports.wording import anchor, badge, only

TITLE, ORDER = "Statistics", 52
TITLES = {
    "energy_j": "Energy, whole run", "duration_s": "Time, whole run",
    "stage_energy_j": "Energy, stage alone", "stage_duration_s": "Time, stage alone",
}  # fmt: skip
PAIR = {
    "statistic": "Statistic", "p": "p", "p_corrected": "p, corrected", "smallest_p": "Smallest p possible",
    "tost_p": "p of equivalence", "a12": "A12", "cliffs_delta": "Cliff's delta", "shapiro_w": "Shapiro-Wilk W",
    "shapiro_p": "its p",
}  # fmt: skip
ORDERED = {"lag1": "Lag-1", "drift_rho": "Drift", "drift_p": "its p"}
CHANCES = {"p", "p_corrected", "smallest_p", "tost_p", "shapiro_p", "drift_p"}
FEW = "too few runs, or all alike"


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    """Nothing where nothing is compared."""
    if analysis.statistics["blocks"].isna().all():
        return {}
    named = enumerate(analysis.groups)
    blocks = [block for index, group in named if (block := _block(analysis, group, index))]
    return {"blocks": blocks, "margin": percent(analysis.margin)}


def _block(analysis: Analysis, group: Group, index: int) -> Block | None:
    rows = group.select(analysis.statistics)
    rows = rows[rows["quantity"].isin(TITLES)]
    if rows["blocks"].isna().all():
        return None
    provenance = badge(analysis, group)
    shown = [_row(row, provenance) for name in TITLES for row in only(rows, quantity=name).to_dict("records")]
    tests = " and ".join(dict.fromkeys(rows["test"].dropna()))
    table = Table(
        f"statistics-{index + 1}", "Tests and effect sizes", _columns(), tuple(shown), group.title, tests
    )
    return Block(anchor("statistics-block", index), group.title, tables=(table,))


def _columns() -> tuple[Column, ...]:
    numbers = (Column(key, title, numeric=True) for key, title in {**PAIR, **ORDERED}.items())
    return (Column("quantity", "Quantity, framework"), Column("blocks", "Blocks", numeric=True), *numbers)


def _row(row: dict[Any, Any], provenance: str) -> Row:
    reason = row["reason"] if isinstance(row["reason"], str) else ""
    title, name = TITLES[row["quantity"]], row[TREATMENT]
    minor = ", ".join(
        part for part in (provenance if "energy" in row["quantity"] else "", _against(row)) if part
    )
    pair = (_cell(key, row, reason or FEW) for key in PAIR)
    alone = (_cell(key, row, FEW) for key in ORDERED)
    first = Cell(f"{title}, {name}", minor=minor)
    return Row(f"{row['quantity']} {name}", (first, whole(row["blocks"], reason or FEW), *pair, *alone))


def _against(row: dict[Any, Any]) -> str:
    if row[TREATMENT] == row["reference"]:
        return "the reference"
    return f"against {row['reference']}" if pd.notna(row["blocks"]) else ""


def _cell(key: str, row: dict[Any, Any], reason: str) -> Cell:
    if key in CHANCES:
        return chance(row[key], reason)
    magnitude = row["magnitude"] if key == "a12" and isinstance(row["magnitude"], str) else ""
    return amount(row[key], Unit(), reason, minor=magnitude)
