"""What stands behind the verdicts: tests, corrected, effect sizes, equivalence, normality, and drift."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from harness.analysis.block_ranks import block_ranks
from harness.analysis.cleaning import RULES, marks
from harness.analysis.cost_table import JUDGEMENT_COLUMNS
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.plain_texts import records, with_plain_texts
from harness.analysis.quantities import leads, named, ranked
from harness.analysis.replicates import BLOCKS, SINGLE
from harness.analysis.summary import Analysis
from harness.analysis.withheld import reasons
from harness.store import Campaign
from reports.formats import DASH, THIN, Unit, known, listed, number, percent, plural, probability
from reports.parts import Block, Cell, Column, Row, Sentence, Table, amount, chance, whole
from reports.wording import anchor, badge, only

TITLE, ORDER = "Statistics", 52
PAIR = {
    "statistic": "Statistic", "p": "p", "p_corrected": "p, corrected", "smallest_p": "Smallest p possible",
    "signed_rank_p": "p of signed ranks", "sign_flip_p": "p of sign flips", "tost_p": "p of equivalence",
    "a12": "A12", "cliffs_delta": "Cliff's delta", "shapiro_w": "Shapiro-Wilk W",
    "shapiro_p": "its p", "lag1_differences": "Lag-1 of differences",
}  # fmt: skip
BESIDE = {
    "scatter": "Scatter",
    "measured": "Measured",
    "flip": "Sign-flip interval",
    "without": "Without any one block",
}
ORDERED = {"lag1": "Lag-1", "drift_rho": "Drift", "drift_p": "its p"}
CHANCES = {"signed_rank_p", "sign_flip_p", "p", "p_corrected", "smallest_p", "tost_p", "shapiro_p", "drift_p"}
FEW = "too few runs, or all alike"
UNKNOWN, TOO_FEW = "not known, or there is no interval", "too few blocks at this level"
SHOWN = {"over", "scatter", "measured", "flip_low", "flip_high", "without_low", "without_high"}


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    """Nothing where nothing is compared."""
    if analysis.statistics["blocks"].isna().all():
        return {}
    rows, named = _beside_costs(analysis), enumerate(analysis.groups)
    blocks = [block for index, group in named if (block := _block(analysis, group, rows, index))]
    return {"blocks": blocks, "margin": percent(analysis.margin)}


def _beside_costs(analysis: Analysis) -> pd.DataFrame:
    """STATISTICS_COLUMNS of all groups, with what is shown of how each ratio was judged."""
    keys = [*GROUP, TREATMENT, "quantity"]
    beside = analysis.costs[[*keys, *(name for name in JUDGEMENT_COLUMNS if name in SHOWN)]]
    return with_plain_texts(analysis.statistics.merge(beside, on=keys, how="left"))


def _block(analysis: Analysis, group: Group, beside: pd.DataFrame, index: int) -> Block | None:
    rows = group.select(beside)
    rows = rows[rows["quantity"].isin([one.name for one in ranked()])]
    if rows["blocks"].isna().all():
        return None
    provenance = badge(analysis, group)
    shown = [_row(row, provenance) for one in ranked() for row in records(only(rows, quantity=one.name))]
    tests = " and ".join(dict.fromkeys(rows["test"].dropna()))
    table = Table(
        f"statistics-{index + 1}",
        "Tests and effect sizes",
        _columns(_over(rows)),
        tuple(shown),
        group.title,
        tests,
    )
    return Block(
        anchor("statistics-block", index),
        group.title,
        (*_ranks(analysis, group), *_cleaned(analysis, group)),
        tables=(table,),
    )


def _ranks(analysis: Analysis, group: Group) -> Iterator[Sentence]:
    """All treatments at once, of the whole run's energy and time; none where somebody's verdict is withheld."""
    counted, costs = analysis.counted, group.select(analysis.costs)
    for quantity in leads():
        if reasons(only(costs, quantity=quantity.name)):
            continue
        over = _over(costs)
        for one in block_ranks(counted, (group,), quantity):
            p = "all alike" if one.friedman.p is None else f"p = {probability(one.friedman.p)}"
            ranks = listed(f"{name} {rank:.2f}" for name, rank in one.critical.ranks.items())
            joined = "; ".join(listed(names) for names in one.critical.cliques)
            yield Sentence(
                f"Friedman over {plural(one.blocks, SINGLE[over])}: {p}. Mean ranks: {ranks}. Further apart than "
                f"{one.critical.difference:.2f} they differ (Nemenyi, 5{THIN}%)"
                + (f"; not told apart: {joined}." if joined else "."),
                f"{quantity.full_title}.",
            )


def _cleaned(analysis: Analysis, group: Group) -> Iterator[Sentence]:
    """What published cleaning rules would mark; here nothing is deleted (rule R28)."""
    runs = group.select(analysis.counted)
    for quantity in leads():
        counts = {rule: marks(runs, quantity.name, rule, [TREATMENT]) for rule in RULES}
        if any(counts.values()):
            told = listed(f"{count} ({rule})" for rule, count in counts.items() if count)
            yield Sentence(
                f"Published cleaning rules would mark {told} of {plural(len(runs), 'run')}. All count here.",
                f"{quantity.full_title}.",
            )


def _over(rows: pd.DataFrame) -> str:
    """What the tests are over: blocks, but of a merged campaign."""
    return next(iter(rows["over"].dropna()), BLOCKS)


def _columns(over: str) -> tuple[Column, ...]:
    beside = {key: title.replace(SINGLE[BLOCKS], SINGLE[over]) for key, title in BESIDE.items()}
    numbers = (Column(key, title, numeric=True) for key, title in {**beside, **PAIR, **ORDERED}.items())
    return (
        Column("quantity", "Quantity, framework"),
        Column("blocks", over.capitalize(), numeric=True),
        *numbers,
    )


def _row(row: dict[Any, Any], provenance: str) -> Row:
    reason = row["reason"] if isinstance(row["reason"], str) else ""
    quantity, name = named(row["quantity"]), row[TREATMENT]
    minor = ", ".join(part for part in (quantity.badge(provenance), _against(row)) if part)
    pair = (_cell(key, row, reason or FEW) for key in PAIR)
    alone = (_cell(key, row, FEW) for key in ORDERED)
    first = Cell(f"{quantity.full_title}, {name}", minor=minor)
    blocks, beside = whole(row["blocks"], reason or FEW), (_beside(key, row, reason) for key in BESIDE)
    return Row(f"{row['quantity']} {name}", (first, blocks, *beside, *pair, *alone))


def _beside(key: str, row: dict[Any, Any], reason: str) -> Cell:
    """The parts of the interval, as shares of the ratio, and what stands beside it."""
    if key in ("scatter", "measured"):
        half = known(row[key])
        return (
            Cell(DASH, note=reason or UNKNOWN)
            if half is None
            else Cell(f"± {number(100 * half, 2)}{THIN}%", repr(half))
        )
    low, high = known(row[f"{key}_low"]), known(row[f"{key}_high"])
    return (
        Cell(DASH, note=reason or TOO_FEW) if low is None or high is None else Cell(f"{low:.3f}–{high:.3f}")
    )


def _against(row: dict[Any, Any]) -> str:
    if row[TREATMENT] == row["reference"]:
        return "the reference"
    return f"against {row['reference']}" if pd.notna(row["blocks"]) else ""


def _cell(key: str, row: dict[Any, Any], reason: str) -> Cell:
    if key in CHANCES:
        return chance(row[key], reason)
    magnitude = row["magnitude"] if key == "a12" and isinstance(row["magnitude"], str) else ""
    return amount(row[key], Unit(), reason, minor=magnitude)
