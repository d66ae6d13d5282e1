"""What a server's operator reads: joules of a request against what its user waits for, as requests come faster."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.arrivals import arrive
from harness.analysis.compare import mixed
from harness.analysis.families import DATASET, SAME, Family, families
from harness.analysis.quantities import ARRIVING
from harness.analysis.summary import Analysis
from harness.analysis.token_costs import token_costs
from harness.store import Campaign
from reports import token_cells
from reports.formats import THIN
from reports.parts import Block, Cell, Column, Figure, Row, Table
from reports.token_curves import OF_REQUESTS, panels
from reports.wording import anchor, badge_of_all

TITLE, ORDER = "Energy against latency", 13
SURE = f"95{THIN}%"
HEADS = {
    "energy_j_per_request": ("Energy", "per request"),
    "energy_j_per_answer_token": ("Energy", "per token"),
    "request_s": ("Latency", "median"),
    "request_p95_s": ("Latency", "p95"),
    "request_first_token_s": ("First token", "median"),
    "request_first_token_p95_s": ("First token", "p95"),
    "requests_per_s": ("Requests", "answered"),
    "idle_slots": ("Idle slots", "share"),
    "cache_bytes": ("Cache", "of all slots"),
}
REMARKS = (
    f"In brackets {SURE} of the geometric mean, log-t over the blocks and what measuring leaves unsure; whether "
    "frameworks differ, their ratios tell: Costs, parts of the stage.",
    "Latency counts from a request's arrival to its last token, waiting for a slot included. Idle slots are computed "
    "and thrown away. Time without any request is skipped, so what an idle server draws is in none of it.",
)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    """Of whatever stage answers requests as they come, whether or not a run of it counts."""
    groups = tuple(
        one for one in analysis.groups if arrive(analysis.tasks.task(one.workload).parts(one.stage))
    )
    costs = token_costs(analysis.counted, groups, ARRIVING)
    alike = enumerate(families(groups, (*SAME, DATASET)))
    blocks = [_block(analysis, costs, family, index) for index, family in alike]
    return {"blocks": blocks} if blocks else {}


def _block(analysis: Analysis, costs: pd.DataFrame, family: Family, index: int) -> Block:
    runs = family.select(analysis.counted)
    provenance = badge_of_all(runs)
    drawn = () if mixed(runs) else tuple(panels(analysis, family.select(costs), family, OF_REQUESTS))
    caption = (
        f"Lower is better, and so is left. Bars: {SURE} of each mean. A line joins a framework's loads, from "
        "few arrivals to many."
    )
    return Block(
        anchor("arrivals-block", index),
        family.title,
        figure=Figure(f"arrivals-figure-{index + 1}", caption, drawn) if drawn else None,
        tables=(_table(analysis, costs, family, f"arrivals-table-{index + 1}", provenance),),
    )


def _table(analysis: Analysis, costs: pd.DataFrame, family: Family, key: str, provenance: str) -> Table:
    units, rows = token_cells.units_of(analysis, HEADS), []
    for group in family.groups:
        setting = family.label(group)
        for name in group.treatments:
            mine = group.select(costs)
            cells = token_cells.cells(mine[mine["treatment"] == name], units)
            rows.append(Row(f"{name} {setting}".strip(), (Cell(name, minor=setting), *cells)))
    return Table(
        key,
        "Per request, as they arrive",
        (Column("treatment", "Framework"), *token_cells.columns(HEADS, provenance)),
        tuple(rows),
        family.title,
        "geometric means over runs",
        remarks=REMARKS,
    )
