"""Every ratio of whole runs, of all work at once, and what would settle those that are open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from harness.analysis.groups import TREATMENT, Group, treatments_of
from harness.analysis.outlook import Need
from harness.analysis.plain_texts import records
from harness.analysis.quantities import leads
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.records import CampaignRecord
from harness.store import Campaign
from reports import figures
from reports.answer import answer, labels_of
from reports.commands import command_for_more, command_that_settles
from reports.formats import interval, known, percent, plural, ratio
from reports.parts import Block, Cell, Column, Figure, Panel, Row, Table, whole
from reports.wording import SURE, badge, badge_of_all, bars, only, verdict_of

TITLE, ORDER = "All ratios", 5
TITLES = {"work": "Work", "treatment": "Framework", "quantity": "Quantity", "ratio": "Ratio", "blocks": "Blocks",
          "needed": "Settled by", "command": "Command"}  # fmt: skip
OPEN = 2  # the last of them, which tell what would settle a ratio
NUMBERS = ("ratio", "blocks", "needed")
DRAWN = 60  # works of a chart: more belong into the table
CAPTION = (
    "Right of the dashed line costs more than the reference. Bars: {sure} intervals, paired within blocks; a hollow "
    "mark has none; one that ends at the chart's edge goes on. Band: {margin}, the smallest difference "
    "that matters."
)
SETTLED = (
    "Settled by: so many blocks in all, of a new campaign, decide the ratio in 80\u202f% of cases, if it is what "
    "it looks like: by a difference, or, within the margin, by showing that there is none that matters. "
    "It is rough with few blocks."
)
ADDED = (
    "Blocks that are added after a look at the verdicts would make these err more often than is said: plan a new "
    "campaign, or use --until, which allows for its looks."
)
BY_TURNS = "This campaign's intervals allow for its looks: it may go on instead, by {}."


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    """Nothing where nothing is compared."""
    rows = _rows(analysis)
    if rows.empty:
        return {}
    figure = _figure(analysis, rows[rows["ratio"].notna()])
    table = _table(analysis, rows, campaign.record)
    settled = ", and what would settle the open ones" if len(table.columns) == len(TITLES) else ""
    return {"block": Block("overview-block", "", figure=figure, tables=(table,)), "settled": settled}


def _rows(analysis: Analysis) -> pd.DataFrame:
    """Of the quantities of the first lines, without the references themselves."""
    costs = analysis.costs[analysis.costs["quantity"].isin([one.name for one in leads()])]
    labels = labels_of(analysis.groups)
    parts = [group.select(costs).assign(work=labels[group]) for group in analysis.groups]
    found = pd.concat(parts) if parts else costs.assign(work="")
    return found[found[TREATMENT] != found["reference"]].dropna(subset=["reference"])


def _figure(analysis: Analysis, rows: pd.DataFrame) -> Figure | None:
    works = _in_order(analysis, rows)
    if not 1 < len(works) <= DRAWN:
        return None
    provenance, known_ones = badge_of_all(analysis.counted), set(rows[TREATMENT])
    names = [name for name in treatments_of(analysis.groups) if name in known_ones]
    panels = tuple(
        _panel(only(rows, quantity=lead.name), (works, names), lead, provenance, analysis.margin)
        for lead in leads()
        if not lead.badge(provenance).startswith("mixed") and (rows["quantity"] == lead.name).any()
    )
    caption = CAPTION.format(sure=SURE, margin=percent(analysis.margin))
    return Figure("overview-figure", caption, panels) if panels else None


def _in_order(analysis: Analysis, rows: pd.DataFrame) -> list[str]:
    """As the first screen has them: whoever decides most stands first."""
    first = answer(analysis)
    order = [first.labels[row.group] for row in first.rows] if first else []
    drawn = dict.fromkeys(rows["work"])
    return [*(one for one in order if one in drawn), *(one for one in drawn if one not in order)]


def _panel(
    rows: pd.DataFrame, axes: tuple[list[str], list[str]], lead: Quantity, provenance: str, margin: float
) -> Panel:
    """`axes`: the works and, within each, the treatments."""
    frame = bars(rows.assign(scope="")).assign(work=rows["work"]).drop(columns="scope")
    title = f"Ratio of {lead.words}, all work"
    label = f"{title}: points with {SURE} intervals, a row per work; the table below has the numbers."
    drawing = figures.overview(frame, *axes, "times the reference", margin)
    return Panel(title, drawing, label, lead.badge(provenance), quantity=lead.name)


def _table(analysis: Analysis, rows: pd.DataFrame, record: CampaignRecord) -> Table:
    """Of ratios that nobody knows, a line; where none is open, nothing of what would settle it."""
    known_ones = rows[rows["ratio"].notna()]
    body = tuple(_table_rows(analysis, known_ones, record))
    is_open = any(cell.text or cell.note for row in body for cell in row.cells[-OPEN:])
    titles = list(TITLES.items())[: None if is_open else -OPEN]
    columns = tuple(Column(key, title, key in NUMBERS) for key, title in titles)
    body = tuple(Row(row.key, row.cells[: len(columns)]) for row in body)
    detail = f"ratio to the reference, with its {SURE} interval over blocks"
    remarks = (*_unknown(rows[rows["ratio"].isna()]), *(_remarks(record) if is_open else ()))
    return Table("ratios-table", "All ratios", columns, body, "of all work", detail, remarks=remarks)


def _remarks(record: CampaignRecord) -> tuple[str, ...]:
    return SETTLED, BY_TURNS.format(command_for_more(record)) if record.plan.turns else ADDED


def _unknown(rows: pd.DataFrame) -> Iterator[str]:
    if len(rows):
        reasons = rows["ratio_reason"].fillna("no reason is told").value_counts()
        told = "; ".join(f"{count} {reason}" for reason, count in reasons.items())
        yield f"Not known: {plural(len(rows), 'ratio')} ({told})."


def _table_rows(analysis: Analysis, rows: pd.DataFrame, record: CampaignRecord) -> Iterator[Row]:
    for group in analysis.groups:
        provenance = badge(analysis, group)
        for row in records(group.select(rows)):
            named = next(one for one in leads() if one.name == row["quantity"])
            quantity = Cell(named.title, minor=named.badge(provenance))
            cells = (
                Cell(row["work"]),
                Cell(row[TREATMENT]),
                quantity,
                _ratio(row),
                *_settled(analysis, group, row, record),
            )
            yield Row(f"{row['work']} {row[TREATMENT]} {row['quantity']}", cells)


def _ratio(row: Mapping[Any, Any]) -> Cell:
    value = float(row["ratio"])
    verdict, withheld = verdict_of(row)
    minor = interval(known(row["low"]), known(row["high"]))
    return Cell(ratio(value), repr(value), withheld, verdict or "no verdict", minor)


def _settled(
    analysis: Analysis, group: Group, row: Mapping[Any, Any], record: CampaignRecord
) -> tuple[Cell, ...]:
    blocks, need = whole(row["blocks"], "no ratio"), analysis.outlook.need(row)
    if need is None:
        return blocks, Cell(""), Cell("")
    if need.blocks is None:
        return (
            blocks,
            Cell("", note="more blocks than anybody runs: too noisy, or too near the margin"),
            Cell(""),
        )
    command = command_that_settles(record, group, (str(row["reference"]), str(row[TREATMENT])), need.blocks)
    return blocks, Cell(str(need.blocks), str(need.blocks), minor=_by(need)), Cell("", code=command)


def _by(need: Need) -> str:
    return "a difference" if need.apart else "that there is none"
