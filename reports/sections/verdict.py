"""Which framework costs less, in words, with ratio and interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from harness.analysis.block_ratios import block_ratios
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.multiplicity import WORDS
from harness.analysis.quantities import alike, leads, ranked
from harness.analysis.quantity import Quantity
from harness.analysis.reference import CHOSEN, DECLARED, FIRST, OLDEST, Reference
from harness.analysis.replicates import BLOCKS, SINGLE
from harness.analysis.summary import Analysis
from harness.analysis.verdict import Verdict
from harness.store import Campaign
from reports import errors_told, figures
from reports.formats import DASH, Unit, interval, known, listed, percent, plural, ratio
from reports.parts import Block, Cell, Claims, Column, Figure, Panel, Row, Sentence, Table
from reports.resolution import noted, typeset
from reports.resolution import of as resolution_of
from reports.trust_of_ratios import FEW_BLOCKS
from reports.units import unit_of
from reports.wording import SURE, anchor, badge, bars, by_quantity, names_in, only, verdict_of, why_unmeasured

TITLE, ORDER = "Verdict", 10
UNDRAWN = "No chart: no ratio here has an interval."
MOST_MARKS = 60  # of blocks in one row of a chart


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    analysis = replace(analysis, costs=noted(analysis.costs, resolution_of(campaign)))
    blocks = [_block(analysis, group, index) for index, group in enumerate(analysis.groups)]
    reference = analysis.reference
    return {
        "blocks": blocks,
        "reference": _reference(reference),
        "caution": _caution(analysis),
        "margin": percent(analysis.margin),
        "looks": _looks(campaign),
    }


def _reference(one: Reference) -> str:
    words = {
        CHOSEN: f"The reference is {one.treatment}, as you chose.",
        DECLARED: f"The reference is {one.treatment}, as declared before the first run.",
        OLDEST: f"The reference is {one.treatment}, the oldest version.",
        FIRST: f"The reference is {one.treatment}, the first of the plan.",
    }
    return words[one.rule]


def _caution(analysis: Analysis) -> str:
    """Which error is held, and over what."""
    found = [name for name in analysis.costs["errors"].dropna().unique()]
    return f"Errors: {'; '.join(WORDS[name] for name in found)}." if found else ""


def _looks(campaign: Campaign) -> str:
    """Whoever may stop early must widen the intervals (rule R34)."""
    until = campaign.record.plan.until
    if until is None:
        return ""
    return (
        f"The campaign was to stop once its ratios were known, with {plural(len(until.looks), 'look')} from block "
        f"{until.looks[0]} to block {until.looks[-1]}: every interval is widened so that all looks at a ratio "
        f"together err in {errors_told.each_ratio(until)} ({until.method})."
    )


def _block(analysis: Analysis, group: Group, index: int) -> Block:
    rows = group.select(analysis.costs)
    counted = _counted(rows, group)
    if not counted:
        return Block(
            anchor("verdict", index),
            group.title,
            (Sentence(_nothing(analysis, group)),),
        )
    key, provenance = anchor("verdict", index), badge(analysis, group)
    if len(counted) == 1:
        return Block(
            key, group.title, (_alone(analysis, only(rows, treatment=counted[0]), counted[0], provenance),)
        )
    figure = _figure(analysis, group, provenance, index)
    return Block(
        key,
        group.title,
        () if figure else (Sentence(UNDRAWN),),
        claims=tuple(
            _claims(only(rows, quantity=lead.name), lead, unit_of(analysis, lead), provenance)
            for lead in leads()
        ),
        figure=figure,
        tables=(_table(rows, group, analysis.reference.of(group), provenance, index),),
    )


def _nothing(analysis: Analysis, group: Group) -> str:
    why = why_unmeasured(analysis, group)
    return f"Not measured: {why}." if why else "No run counts here: see Validity for the reasons."


def _counted(rows: pd.DataFrame, group: Group) -> list[str]:
    return [name for name in group.treatments if (only(rows, treatment=name)["runs"] > 0).any()]


def _alone(analysis: Analysis, rows: pd.DataFrame, name: str, provenance: str) -> Sentence:
    costs = [
        (unit_of(analysis, lead).text(value), lead)
        for lead in leads()
        if (value := _mean(rows, lead)) is not None
    ]
    words = [" ".join(filter(None, (text, "of", lead.badge(provenance), lead.words))) for text, lead in costs]
    return Sentence(
        f"took {listed(words)} a run. Nothing else ran here, so there is nothing to compare.", name
    )


def _mean(rows: pd.DataFrame, lead: Quantity) -> float | None:
    return known(only(rows, quantity=lead.name)["mean"].iloc[0])


def _claims(rows: pd.DataFrame, lead: Quantity, unit: Unit, provenance: str) -> Claims:
    """On one quantity of the whole run: who is the reference, and how each other one stands against it."""
    mark = lead.badge(provenance)
    references = rows[rows["verdict"] == "reference"]
    if references.empty:
        reasons = "; ".join(dict.fromkeys(rows["ratio_reason"].dropna()))
        return Claims(lead.full_title, (Sentence(f"No verdict: {reasons}."),), mark, lead.name)
    reference = references.iloc[0]
    cost = unit.text(float(reference["mean"]))
    first = Sentence(
        f"is the reference: {cost} a run.",
        reference["treatment"],
    )
    others = rows[(rows["verdict"] != "reference") & (rows["runs"] > 0)]
    against = (_against(row, lead) for _, row in others.iterrows())
    return Claims(lead.full_title, (first, *against, *_cheapest(rows)), mark, lead.name)


def _cheapest(rows: pd.DataFrame) -> Iterator[Sentence]:
    """Who costs least is another question than who costs more than the reference; its answer contradicts no verdict."""
    may = [row[TREATMENT] for _, row in rows.iterrows() if row["may_be_cheapest"] is True]
    if len(may) == 1:
        if not _agrees(rows, may[0]):
            return
        yield Sentence(
            f"costs least of all, by a one-sided comparison with the best of the others at {SURE}.", may[0]
        )
    elif may and len(rows) > 2:
        yield Sentence(
            f"may each cost least: by one-sided comparisons the cheapest is among them at {SURE}.",
            listed(may),
        )


def _agrees(rows: pd.DataFrame, cheapest: str) -> bool:
    """Whether the verdicts, which are two-sided, show of the cheapest and its reference what follows from it."""
    verdicts = {row[TREATMENT]: row["verdict"] for _, row in rows.iterrows()}
    if verdicts[cheapest] == "reference":
        return all(one == Verdict.WORSE for name, one in verdicts.items() if name != cheapest)
    return bool(verdicts[cheapest] == Verdict.BETTER)


def _against(row: pd.Series, lead: Quantity) -> Sentence:
    value = known(row["ratio"])
    if value is None:
        return Sentence(f"is not compared: {row['ratio_reason']}.", row["treatment"])
    verdict, withheld = verdict_of(row)
    certainty = (
        f"without a verdict: {withheld}."
        if withheld
        else f"{_certainty(row)} {typeset(row['note'])}".rstrip()
    )
    return Sentence(
        f"{ratio(value)} the {lead.words} of {row['reference']} {certainty}", row["treatment"], verdict
    )


def _certainty(row: pd.Series) -> str:
    blocks, low, high = int(row["blocks"]), known(row["low"]), known(row["high"])
    if low is None or high is None:
        return (
            f"in the only {_one(row)} they share: an interval needs at least two."
            if blocks == 1
            else _no_interval(row)
        )
    few = "only " if blocks < FEW_BLOCKS else ""
    within = f"({SURE} interval {interval(low, high)[1:-1]}; {few}{plural(blocks, _one(row))})"
    if row["verdict"] == "inconclusive":
        return f"{within}: too close to tell, which does not make them equal."
    if row["verdict"] == "equivalent":
        return f"{within}: they differ by less than the margin of {percent(row['margin'])}."
    return f"{within}.{_rests_on(row)}"


def _no_interval(row: pd.Series) -> str:
    return f"without an interval: {row['ratio_reason'] or 'too few blocks'}."


def _rests_on(row: pd.Series) -> str:
    """Without which blocks the verdict would be another."""
    blocks = str(row["rests_on"] or "").split() if isinstance(row["rests_on"], str) else []
    if not blocks:
        return ""
    if len(blocks) == int(row["blocks"]):
        return f" It needs every {_one(row)}: without any one of them nothing is shown."
    return f" This verdict rests on {_one(row)}{'' if len(blocks) == 1 else 's'} {listed(blocks)}."


def _one(row: Mapping[Any, Any] | pd.Series) -> str:
    """What the interval is over: a block, but of a merged campaign."""
    return SINGLE.get(row["over"], SINGLE[BLOCKS])


def _table(rows: pd.DataFrame, group: Group, reference: str, provenance: str, index: int) -> Table:
    """Of the others that count: of itself the reference says nothing."""
    names = [name for name in _counted(rows, group) if name != reference]
    columns = [Column("treatment", "Framework")]
    columns += [Column(one.name, one.full_title, badge=one.badge(provenance)) for one in ranked()]
    of_each = {name: by_quantity(only(rows, treatment=name)) for name in names}
    body = [
        Row(name, (Cell(name), *(_cell(found[one.name]) for one in ranked())))
        for name, found in of_each.items()
    ]
    detail = f"ratio to {reference}, with its {SURE} interval over blocks"
    return Table(
        f"verdict-table-{index + 1}", "All verdicts", tuple(columns), tuple(body), group.title, detail
    )


def _cell(row: Mapping[Any, Any]) -> Cell:
    value = known(row["ratio"])
    if value is None:
        return Cell(DASH, note=str(row["ratio_reason"]))
    verdict, withheld = verdict_of(row)
    text, blocks = ratio(value, known(row["low"]), known(row["high"])), plural(int(row["blocks"]), _one(row))
    return Cell(text, repr(value), withheld or typeset(row["note"]), verdict or "no verdict", blocks)


def _figure(analysis: Analysis, group: Group, provenance: str, index: int) -> Figure | None:
    rows, panels = group.select(analysis.costs), []
    blocks = _blocks(analysis, group)
    for lead in leads():
        shown = _ratios(rows, lead)
        if _known(rows, lead):  # marks by themselves say no more than the table
            label = f"Ratios of {lead.words} to the reference with {SURE} intervals; the table below has the numbers."
            svg = figures.forest(
                shown, names_in(group, shown), margin=analysis.margin, blocks=_of(lead, blocks)
            )
            panels.append(Panel(f"Ratio of {lead.words}", svg, label, lead.badge(provenance), lead.name))
    caption = (
        f"Right of the dashed line costs more than the reference. Bars: {SURE} intervals, paired within blocks; "
        f"a hollow mark has none; one that ends at the chart's edge goes on. Band: margin, "
        f"{percent(analysis.margin)}.{_small_marks(blocks)}"
    )
    return Figure(f"verdict-figure-{index + 1}", caption, tuple(panels)) if panels else None


def _blocks(analysis: Analysis, group: Group) -> pd.DataFrame:
    """BLOCK_COLUMNS; none where there are so many that their marks would be a smear."""
    quantities = [one for lead in leads() for one in alike(lead)]
    found = block_ratios(analysis.counted, analysis.costs, group, quantities)
    return found if found["number"].nunique() <= MOST_MARKS else found[:0]


def _of(lead: Quantity, blocks: pd.DataFrame) -> pd.DataFrame | None:
    """Those of a lead as reports.figures takes them."""
    scopes = {one.name: str(one.scope) for one in alike(lead)}
    mine = blocks[blocks["quantity"].isin(scopes)]
    if mine.empty:
        return None
    return pd.DataFrame({
        "treatment": mine[TREATMENT], "scope": mine["quantity"].map(scopes), "times": mine["ratio"],
        "place": mine["place"] + " " + mine["number"].astype(str),
    })  # fmt: skip


def _small_marks(blocks: pd.DataFrame) -> str:
    return f" Small marks: the ratio of each {blocks['place'].iloc[0]} by itself." if len(blocks) else ""


def _known(rows: pd.DataFrame, lead: Quantity) -> bool:
    """Whether any ratio has an interval, also one whose verdict is withheld."""
    return bool(rows[rows["quantity"].isin([one.name for one in alike(lead)])]["low"].notna().any())


def _ratios(rows: pd.DataFrame, lead: Quantity) -> pd.DataFrame:
    parts = [only(rows, quantity=one.name).assign(scope=str(one.scope)) for one in alike(lead)]
    whole = pd.concat(parts).dropna(subset=["ratio"])
    return bars(whole[whole["treatment"] != whole["reference"]])  # itself it says nothing about
