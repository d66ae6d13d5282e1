"""What the models learned: a cheap run that learns nothing is not cheap."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.run_rows import METRICS
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports import figures
from reports.formats import Unit
from reports.parts import Block, Cell, Column, Figure, Panel, Sentence, Table, amount, grid
from reports.wording import anchor, names_in, only

TITLE, ORDER = "Quality", 40
TITLES = {"f1": "F1"}
REMARK = (
    "Arithmetic means over runs, of each run's last evaluation on the test set. "
    "Precision, recall and F1 are macro averages."
)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    return {"blocks": [_block(analysis, group, index) for index, group in enumerate(analysis.groups)]}


def _block(analysis: Analysis, group: Group, index: int) -> Block:
    finals, epochs = group.select(analysis.finals), group.select(analysis.epochs)
    names = names_in(group, finals)
    if not names:
        return Block(
            anchor("quality", index), group.title, (Sentence("No run that counts reported its quality."),)
        )
    chosen = _chosen(group.select(analysis.counted))
    tables = [_final_table(finals, names, group, index)]
    tables += [_epoch_table(epochs, names, group, index)] if len(epochs) else []
    return Block(
        anchor("quality", index),
        group.title,
        figure=_figure(epochs, names, chosen, index),
        tables=tuple(tables),
    )


def _chosen(runs: pd.DataFrame) -> list[str]:
    """The metrics to draw: the workload's own, and the loss."""
    return [*sorted(set(runs["quality_metric"].dropna())), "loss"]


def _shown(rows: pd.DataFrame) -> list[str]:
    found = set(rows["metric"])
    return sorted(found, key=lambda name: (name == "loss", METRICS.index(name)))


def title_of(metric: str) -> str:
    return TITLES.get(metric, metric.capitalize())


def _final_table(rows: pd.DataFrame, names: list[str], group: Group, index: int) -> Table:
    metrics = _shown(rows)
    values = {(row.treatment, row.metric): row.mean for row in rows.itertuples()}
    body = grid({name: name for name in names}, metrics, values, _cell)
    columns = _columns(Column("treatment", "Framework"), metrics)
    return Table(f"quality-final-{index + 1}", "Final quality", columns, body, group.title, remarks=(REMARK,))


def _epoch_table(rows: pd.DataFrame, names: list[str], group: Group, index: int) -> Table:
    metrics, epochs = _shown(rows), sorted(set(rows["epoch"]))
    values = {(f"{row.treatment} {row.epoch:.0f}", row.metric): row.mean for row in rows.itertuples()}
    headings = {f"{name} {epoch:.0f}": f"{name}, epoch {epoch:.0f}" for name in names for epoch in epochs}
    body = grid(headings, metrics, values, _cell)
    columns = _columns(Column("epoch", "Epoch"), metrics)
    return Table(f"quality-epochs-{index + 1}", "Quality per epoch", columns, body, group.title)


def _columns(first: Column, metrics: list[str]) -> tuple[Column, ...]:
    return (first, *(Column(one, title_of(one), numeric=True) for one in metrics))


def _cell(value: object) -> Cell:
    return amount(value, Unit(), "not reported", digits=4)


def _figure(epochs: pd.DataFrame, names: list[str], metrics: list[str], index: int) -> Figure | None:
    panels = [
        _panel(only(epochs, metric=one), names, one) for one in metrics if len(only(epochs, metric=one))
    ]
    caption = "Mean over runs after each epoch, on the test set (loss: on the training set)."
    return Figure(f"quality-figure-{index + 1}", caption, tuple(panels)) if panels else None


def _panel(rows: pd.DataFrame, names: list[str], metric: str) -> Panel:
    svg = figures.lines(rows[["treatment", "epoch", "mean"]], names, metric)
    label = f"{title_of(metric)} per epoch as lines, one per framework; the table below has the numbers."
    return Panel(f"{title_of(metric)} per epoch", svg, label)
