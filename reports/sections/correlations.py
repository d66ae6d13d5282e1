"""Which quantities go together over the runs: Spearman's rank correlation, corrected for all pairs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.correlation import spearman
from harness.analysis.families import DATASET, SAME, Family, families
from harness.analysis.quantities import named, recorded
from harness.analysis.quantity import Scope
from harness.analysis.summary import Analysis
from harness.records import Provenance
from harness.store import Campaign
from reports.correlograms import correlogram
from reports.formats import Unit
from reports.parts import Block, Cell, Column, Figure, Panel, Row, Sentence, Table, amount, chance, whole
from reports.wording import anchor, badge_of_all

TITLE, ORDER = "Correlations", 53
LEAST = 6  # runs: below that no order of ranks is rare
CAPTION = "Larger marks are closer ties. All frameworks and settings are in it: what differs between them ties, too."
MODELLED = "estimated joules are made of time, so that their tie with it is the model's own"
CONSTANT = "a quantity is alike in all runs"


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    named = enumerate(families(analysis.groups, (*SAME, DATASET)))
    blocks = [block for index, family in named if (block := _block(analysis, family, index))]
    return {"blocks": blocks} if blocks else {}


def _block(analysis: Analysis, family: Family, index: int) -> Block | None:
    """None with too few runs, or fewer than three quantities that vary."""
    runs = family.select(analysis.counted)
    refused, names = _refused(runs), _varying(runs)
    if len(runs) < LEAST or len(names) < 3:
        return None
    rows = spearman(runs, names)
    table = _table(rows, badge_of_all(runs), f"correlations-{index + 1}", family.title)
    said = (Sentence(f"Without energy and power: {refused}."),) if refused else ()
    return Block(
        anchor("correlations-block", index),
        family.title,
        said,
        figure=_figure(rows, names, index),
        tables=(table,),
    )


def _refused(runs: pd.DataFrame) -> str:
    """Why joules are in no pair; empty where they are."""
    modelled = badge_of_all(runs) == Provenance.ESTIMATED
    return mixed(runs) or (MODELLED if modelled else "")


def _varying(runs: pd.DataFrame) -> list[str]:
    """Joules and watts only where they are of one provenance (rule R40), and read."""
    refused = bool(_refused(runs))
    shown = (one for one in recorded() if one.costed and one.scope is Scope.RUN)
    return [one.name for one in shown if not (one.energy and refused) and runs[one.name].nunique() > 1]


def _words(name: str) -> str:
    return named(name).words


def _figure(rows: pd.DataFrame, names: list[str], index: int) -> Figure:
    known = rows.dropna(subset=["rho"])
    titled = known[["rho", "p_holm"]].assign(one=known["one"].map(_words), other=known["other"].map(_words))
    drawing = correlogram(titled, [_words(name) for name in names])
    label = "Spearman's rho of each pair of quantities as a mark; the table below has the numbers."
    return Figure(
        f"correlations-figure-{index + 1}", CAPTION, (Panel("Spearman's rank correlation", drawing, label),)
    )


def _table(rows: pd.DataFrame, provenance: str, key: str, context: str) -> Table:
    heads = {"n": "Runs", "rho": "Spearman's rho", "p": "p", "p_holm": "p, corrected"}
    columns = (Column("pair", "Pair"), *(Column(name, title, numeric=True) for name, title in heads.items()))
    body = tuple(_row(row, provenance) for row in rows.to_dict("records"))
    detail = "corrected for all pairs (Holm); p is rough below ten runs"
    return Table(key, "Pairs of quantities", columns, body, context, detail)


def _row(row: dict[Any, Any], provenance: str) -> Row:
    pair = (row["one"], row["other"])
    minor = f"energy {provenance}" if any(named(name).energy for name in pair) else ""
    first = Cell(" and ".join(map(_words, pair)).capitalize(), minor=minor)
    numbers = (chance(row[name], CONSTANT) for name in ("p", "p_holm"))
    return Row(" ".join(pair), (first, whole(row["n"]), amount(row["rho"], Unit(), CONSTANT), *numbers))
