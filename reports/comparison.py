"""This campaign against another one: what it costs now, in times of what it cost there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.quantities import alike, leads, ranked
from harness.analysis.summary import Analysis
from harness.records import CampaignRecord
from reports import figures
from reports.formats import DASH, interval, known, ratio
from reports.parts import Block, Cell, Column, Figure, Panel, Row, Sentence, Table
from reports.resolution import typeset
from reports.wording import SURE, badge, bars, only, verdict_of

NAME, TITLE = "comparison", "Comparison"
DETAIL = f"ratio to the other campaign, with its {SURE} interval"


@dataclass(frozen=True)
class CampaignComparison:
    """`rows`: COST_COLUMNS of this campaign's treatments against those of `other`, as harness.analysis.independent."""

    other: CampaignRecord
    rows: pd.DataFrame
    same_machine: bool


def view(analysis: Analysis, comparison: CampaignComparison) -> Mapping[str, Any]:
    shown = [(group, group.select(comparison.rows)) for group in analysis.groups]
    blocks = [
        _block(rows, group, badge(analysis, group), index)
        for index, (group, rows) in enumerate(shown, 1)
        if len(rows)
    ]
    return {
        "blocks": blocks,
        "other": comparison.other,
        "same_machine": comparison.same_machine,
        "sure": SURE,
        "methods": "; ".join(_methods(comparison.rows)) or "nothing is",
    }


def _methods(rows: pd.DataFrame) -> list[str]:
    """How those ratios were found that have an interval."""
    return list(dict.fromkeys(rows.loc[rows["low"].notna(), "method"]))


def _block(rows: pd.DataFrame, group: Group, provenance: str, index: int) -> Block:
    named = rows.assign(pair=[_pair(row["treatment"], row["reference"]) for row in rows.to_dict("records")])
    names = list(dict.fromkeys(named["pair"]))
    columns = [Column("treatment", "Framework")]
    columns += [Column(one.name, one.full_title, badge=one.badge(provenance)) for one in ranked()]
    body = tuple(
        Row(name, (Cell(name), *(_cell(named, name, one.name) for one in ranked()))) for name in names
    )
    key = f"{NAME}-{index}"
    table = Table(f"{NAME}-table-{index}", "All ratios", tuple(columns), body, group.title, DETAIL)
    none = (Sentence("None of the ratios is known: the table has the reasons."),)
    figure = _figure(named, names, provenance, index)
    return Block(key, group.title, () if figure else none, figure=figure, tables=(table,))


def _pair(treatment: str, reference: str) -> str:
    return treatment if treatment == reference else f"{treatment} against {reference}"


def _cell(rows: pd.DataFrame, name: str, quantity: str) -> Cell:
    row = only(rows, pair=name, quantity=quantity).iloc[0]
    value = known(row["ratio"])
    if value is None:
        return Cell(DASH, note=str(row["ratio_reason"]))
    verdict, withheld = verdict_of(row)
    minor = interval(known(row["low"]), known(row["high"]))
    note = withheld or typeset(row.get("note", ""))
    return Cell(ratio(value), repr(value), note, verdict or "no verdict", minor)


def _figure(rows: pd.DataFrame, names: list[str], provenance: str, index: int) -> Figure | None:
    panels = []
    for lead in leads():
        parts = [only(rows, quantity=one.name).assign(scope=str(one.scope)) for one in alike(lead)]
        found = pd.concat(parts).dropna(subset=["ratio"]).assign(treatment=lambda each: each["pair"])
        if len(found):
            shown = [name for name in names if name in set(found["pair"])]
            frame = bars(found)
            label = f"Ratios of {lead.words} to the other campaign with {SURE} intervals; the table has the numbers."
            drawing = figures.forest(frame, shown, "times the other campaign")
            panels.append(Panel(f"Ratio of {lead.words}", drawing, label, lead.badge(provenance), lead.name))
    caption = (
        f"Right of the dashed line this campaign costs more. Bars: {SURE} intervals; none without a verdict."
    )
    return Figure(f"{NAME}-figure-{index}", caption, tuple(panels)) if panels else None
