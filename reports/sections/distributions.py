"""How the runs of each treatment spread: every run is there, none stands for the others."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.density import LEAST
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.quantities import drawn
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports import thinned
from reports.formats import Unit
from reports.parts import Block, Figure, Link, Panel, Sentence
from reports.units import unit_of
from reports.violins import violins
from reports.wording import anchor, badge, drawable, names_in, only

TITLE, ORDER = "Distributions", 25
CAPTION = (
    "Each mark is a run, from the top of its row to the bottom in the order in which they ran. Bars: medians."
)
SINGLE = "No distribution: no framework has more than one run that counts."


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    drawn = [_block(analysis, group, index) for index, group in enumerate(analysis.groups)]
    blocks = [block for block in drawn if block.figure or block.sentences]
    shown = any(block.figure for block in blocks)
    fewer = any(thinned.drawn_of(group.select(analysis.counted)) for group in analysis.groups)
    return {"blocks": blocks, "least": LEAST if shown else None, "fewer": fewer} if blocks else {}


def _block(analysis: Analysis, group: Group, index: int) -> Block:
    runs, provenance = group.select(analysis.counted), badge(analysis, group)
    medians = group.select(analysis.descriptions)
    shown = drawable((one for one in drawn() if one.compared), runs, provenance)
    names = names_in(group, runs)
    if shown and runs[TREATMENT].value_counts().max() < 2:
        return Block(anchor("distributions", index), group.title, (Sentence(SINGLE),))
    panels = tuple(
        _panel(runs, only(medians, quantity=one.name), names, one, unit_of(analysis, one), provenance)
        for one in shown
    )
    links = (
        Link("Summary as a table", f"#summary-{index + 1}"),
        Link(f"{thinned.listed(analysis.runs)} as a table", "#runs-table"),
    )
    caption = f"{CAPTION} {thinned.drawn_of(runs)}".rstrip()
    figure = Figure(f"distributions-figure-{index + 1}", caption, panels, links) if panels else None
    return Block(anchor("distributions", index), group.title, figure=figure)


def _panel(
    runs: pd.DataFrame,
    medians: pd.DataFrame,
    names: list[str],
    measure: Quantity,
    unit: Unit,
    provenance: str,
) -> Panel:
    rows = _ordered(runs).assign(value=runs[measure.name] / unit.size)
    middles = dict(zip(medians[TREATMENT], medians["median"] / unit.size, strict=True))
    drawing = violins(rows, middles, names, f"{measure.words} ({unit.symbol})")
    label = f"{measure.title} of every run, a row of marks and an outline per framework; the tables have the numbers."
    return Panel(f"{measure.title} of each run", drawing, label, measure.badge(provenance), measure.name)


def _ordered(runs: pd.DataFrame) -> pd.DataFrame:
    """treatment, run, order: the frame's rows are in the order in which they ran."""
    order = runs.groupby(TREATMENT).cumcount() + 1
    return pd.DataFrame({"treatment": runs[TREATMENT], "run": runs["run_id"], "order": order})
