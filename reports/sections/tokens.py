"""What a serving engineer reads first: joules and seconds of prefill and of decoding, per token and per request."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.agreement import agreement
from harness.analysis.compare import mixed
from harness.analysis.families import DATASET, SAME, Family, families
from harness.analysis.groups import Group
from harness.analysis.serving import serves
from harness.analysis.summary import Analysis
from harness.analysis.token_costs import token_costs
from harness.store import Campaign
from reports import token_cells
from reports.formats import DASH, THIN, known, percent
from reports.parts import Block, Cell, Column, Figure, Row, Table
from reports.token_curves import OF_TOKENS, panels
from reports.wording import anchor, badge_of_all, only

TITLE, ORDER = "Prefill and decode", 12
SURE = f"95{THIN}%"
# Of each quantity of the table, its head in two lines.
HEADS = {
    "prefill_energy_j_per_prompt_token": ("Prefill energy", "per prompt token"),
    "decode_energy_j_per_generated_token": ("Decode energy", "per generated token"),
    "energy_j_per_request": ("Energy", "per request"),
    "first_token_s": ("First token", "time to it"),
    "output_token_s": ("Output token", "time, median"),
    "output_token_p95_s": ("Output token", "time, p95"),
    "decode_tokens_per_s": ("Decoding", "generated tokens"),
    "padding": ("Padding", "share of prompts"),
    "cache_bytes": ("Cache", "of a batch"),
}
REMARKS = (
    f"In brackets {SURE} of the geometric mean, log-t over the blocks and what measuring leaves unsure; whether "
    "frameworks differ, their ratios tell: Costs, parts of the stage.",
    "Requests in static batches, all there from the start: the first token is the prefill's, for which its batch "
    "waits, and each later one is a step of decoding. Compilation is in none of it.",
)
AGREES = (
    "First other token: the first one that is not the reference's in any request, counted from 1. Rounding chooses "
    "between scores that nearly tie, and what follows is another text."
)
UNTOLD = "these runs did not tell their tokens one by one"


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    """Of whatever stage has these parts, whether or not a run of it counts."""
    groups = tuple(
        one for one in analysis.groups if serves(analysis.tasks.task(one.workload).parts(one.stage))
    )
    costs = token_costs(analysis.counted, groups)
    texts = agreement(campaign, groups, analysis.reference)
    alike = enumerate(families(groups, (*SAME, DATASET)))
    blocks = [_block(analysis, costs, texts, family, index) for index, family in alike]
    return {"blocks": blocks} if blocks else {}


def _block(analysis: Analysis, costs: pd.DataFrame, texts: pd.DataFrame, family: Family, index: int) -> Block:
    runs = family.select(analysis.counted)
    provenance = badge_of_all(runs)
    drawn = () if mixed(runs) else tuple(panels(analysis, family.select(costs), family, OF_TOKENS))
    caption = (
        f"Lower is better, and so is left. Bars: {SURE} of each mean. A line joins a framework's batches."
    )
    return Block(
        anchor("tokens-block", index),
        family.title,
        figure=Figure(f"tokens-figure-{index + 1}", caption, drawn) if drawn else None,
        tables=(_table(costs, texts, analysis, family, f"tokens-table-{index + 1}", provenance),),
    )


def _table(
    costs: pd.DataFrame, texts: pd.DataFrame, analysis: Analysis, family: Family, key: str, provenance: str
) -> Table:
    units = token_cells.units_of(analysis, HEADS)
    columns = [Column("treatment", "Framework"), *token_cells.columns(HEADS, provenance)]
    rows, places = [], [(group, name) for group in family.groups for name in group.treatments]
    for group, name in places:
        cells = token_cells.cells(only(group.select(costs), treatment=name), units)
        agrees, setting = _agrees(texts, analysis, group, name), family.label(group)
        rows.append(Row(f"{name} {setting}".strip(), (Cell(name, minor=setting), *cells, agrees)))
    return Table(
        key,
        "Per token and per request",
        (*columns, Column("first_apart", "First other", True, hint="token")),
        tuple(rows),
        family.title,
        "geometric means over runs",
        remarks=(*REMARKS, AGREES),
    )


def _agrees(texts: pd.DataFrame, analysis: Analysis, group: Group, name: str) -> Cell:
    """Of the output that parts first, where there are several."""
    rows = only(group.select(texts), treatment=name).sort_values("first_apart")
    if name == analysis.reference.of(group):
        return Cell("reference")
    if rows.empty or not rows["blocks"].iloc[0]:
        return Cell(DASH, note=UNTOLD)
    row = rows.iloc[0]
    first, length = known(row["first_apart"]), f"{row['length']:.0f}"
    if first is None:
        return Cell("none", minor=f"of {length}")
    return Cell(
        f"{first:.0f}", repr(first), minor=f"of {length}, in {percent(round(row['rows_apart'], 3))} of rows"
    )
