"""One number per treatment and group of a family, for each quantity that is laid over factors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from harness.analysis.compare import mixed
from harness.analysis.epoch_costs import FIRST, LATER, first_and_later
from harness.analysis.families import Family
from harness.analysis.gauges import gauge_costs
from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.quality import metric_of
from harness.analysis.quantities import as_metric, drawn
from harness.analysis.quantity import Quantity
from harness.analysis.summary import Analysis
from harness.records import MetricRecord
from harness.store import Campaign

SURFACE_COLUMNS = [*GROUP, TREATMENT, "value"]


EPOCHS = {
    FIRST: Quantity("first_energy_j", "Energy of the first epoch", "J", energy=True),
    LATER: Quantity("later_energy_j", "Energy of each later epoch", "J", energy=True),
}
BUSY = Quantity("gpu_utilisation", "GPU utilisation", "%", None)


class Surface(NamedTuple):
    """rows: SURFACE_COLUMNS, one per group and treatment; `refused`: why its numbers must not be laid side by side."""

    quantity: Quantity
    rows: pd.DataFrame
    refused: str


def surfaces(analysis: Analysis, campaign: Campaign, family: Family) -> Iterator[Surface]:
    """Those with a known value: costs and quality as in `analysis.costs`, epochs and utilisation as means over runs."""
    runs = family.select(analysis.counted)
    refused = mixed(runs)
    found = [
        *_costs(family.select(analysis.costs), metric_of(runs, analysis.tasks)),
        *_epochs(runs, analysis.raw.phases),
        _utilisation(runs, campaign),
    ]
    for quantity, rows in found:
        if quantity.energy and refused:
            yield Surface(quantity, rows.iloc[:0], refused)
        elif rows["value"].notna().any():
            yield Surface(quantity, rows[SURFACE_COLUMNS], "")


def _costs(costs: pd.DataFrame, metric: MetricRecord | None) -> Iterator[tuple[Quantity, pd.DataFrame]]:
    for one in drawn():
        rows = costs[costs["quantity"] == one.name]
        title = f"{one.title} of a run" if one.lead else one.title
        yield replace(as_metric(one, metric), title=title), rows.assign(value=rows["mean"])


def _epochs(runs: pd.DataFrame, phases: pd.DataFrame) -> Iterator[tuple[Quantity, pd.DataFrame]]:
    table = first_and_later(runs, phases)
    for part, quantity in EPOCHS.items():
        rows = table[table["part"] == part]
        yield quantity, rows.assign(value=rows["energy_j"])


def _utilisation(runs: pd.DataFrame, campaign: Campaign) -> tuple[Quantity, pd.DataFrame]:
    wanted = set(runs["run_id"])
    gauges = gauge_costs(run for run in campaign.runs if run.record.planned.run_id in wanted)
    joined = gauges[gauges["gauge"] == BUSY.name].merge(runs[["run_id", *GROUP, TREATMENT]], on="run_id")
    return BUSY, joined.groupby([*GROUP, TREATMENT], sort=False)["mean"].mean().reset_index(name="value")
