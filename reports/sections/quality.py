"""What the models learned: a cheap run that learns nothing is not cheap."""

from __future__ import annotations

from typing import Any

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.summary import Analysis
from harness.records import MetricRecord, TaskRecord
from harness.store import Campaign
from reports import figures
from reports.formats import Unit
from reports.parts import Block, Cell, Column, Figure, Panel, Sentence, Table, amount, grid
from reports.wording import anchor, names_in, only

TITLE, ORDER = "Quality", 40
REMARK = "Arithmetic means over runs, of each run's last evaluation on the test set."
MACRO_AVERAGES = {"precision", "recall", "f1"}
MACRO = " Precision, recall and F1 are macro averages."


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    return {"blocks": [_block(analysis, group, index) for index, group in enumerate(analysis.groups)]}


def _block(analysis: Analysis, group: Group, index: int) -> Block:
    finals, epochs = group.select(analysis.finals), group.select(analysis.epochs)
    names = names_in(group, finals)
    if not names:
        return Block(
            anchor("quality", index), group.title, (Sentence("No run that counts reported its quality."),)
        )
    chosen, task = _chosen(group.select(analysis.counted)), analysis.tasks.task(group.workload)
    tables = [_final_table(finals, names, group, index, task)]
    tables += [_epoch_table(epochs, names, group, index, task)] if len(epochs) else []
    return Block(
        anchor("quality", index),
        group.title,
        figure=_figure(epochs, names, [task.metric(one) for one in chosen], index),
        tables=tuple(tables),
    )


def _chosen(runs: pd.DataFrame) -> list[str]:
    """The metrics to draw: the workload's own, and the loss."""
    return [*sorted(set(runs["quality_metric"].dropna())), "loss"]


def _shown(rows: pd.DataFrame) -> list[str]:
    return sorted(rows["metric"].drop_duplicates(), key=lambda name: bool(name == "loss"))


def _title(metric: MetricRecord) -> str:
    return metric.title[:1].upper() + metric.title[1:]


def _final_table(rows: pd.DataFrame, names: list[str], group: Group, index: int, task: TaskRecord) -> Table:
    metrics = _shown(rows)
    values = {(row.treatment, row.metric): row.mean for row in rows.itertuples()}
    body = grid({name: name for name in names}, metrics, values, _cell)
    columns = _columns(Column("treatment", "Framework"), metrics, task)
    remark = REMARK + (MACRO if MACRO_AVERAGES & set(metrics) else "")
    return Table(f"quality-final-{index + 1}", "Final quality", columns, body, group.title, remarks=(remark,))


def _epoch_table(rows: pd.DataFrame, names: list[str], group: Group, index: int, task: TaskRecord) -> Table:
    metrics, epochs = _shown(rows), sorted(set(rows["epoch"]))
    values = {(f"{row.treatment} {row.epoch:.0f}", row.metric): row.mean for row in rows.itertuples()}
    headings = {f"{name} {epoch:.0f}": f"{name}, epoch {epoch:.0f}" for name in names for epoch in epochs}
    body = grid(headings, metrics, values, _cell)
    columns = _columns(Column("epoch", "Epoch"), metrics, task)
    return Table(f"quality-epochs-{index + 1}", "Quality per epoch", columns, body, group.title)


def _columns(first: Column, metrics: list[str], task: TaskRecord) -> tuple[Column, ...]:
    return (first, *(Column(one, _with_unit(task.metric(one)), numeric=True) for one in metrics))


def _with_unit(metric: MetricRecord) -> str:
    return f"{_title(metric)} ({metric.unit})" if metric.unit else _title(metric)


def _cell(value: object) -> Cell:
    return amount(value, Unit(), "not reported", digits=4)


def _figure(epochs: pd.DataFrame, names: list[str], metrics: list[MetricRecord], index: int) -> Figure | None:
    panels = [_panel(found, names, one) for one in metrics if len(found := only(epochs, metric=one.name))]
    caption = "Mean over runs after each epoch, on the test set (loss: on the training set)."
    return Figure(f"quality-figure-{index + 1}", caption, tuple(panels)) if panels else None


def _panel(rows: pd.DataFrame, names: list[str], metric: MetricRecord) -> Panel:
    axis = f"{metric.title} ({metric.unit})" if metric.unit else metric.title
    svg = figures.lines(rows[["treatment", "epoch", "mean"]], names, axis)
    label = f"{_title(metric)} per epoch as lines, one per framework; the table below has the numbers."
    return Panel(f"{_title(metric)} per epoch", svg, label)
