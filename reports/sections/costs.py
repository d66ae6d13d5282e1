"""The means: energy, time and mean power always together (rule R39), whole run and stage alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from harness.analysis.groups import Group
from harness.analysis.summary import Analysis
from harness.store import Campaign
from reports.formats import DASH, Unit, interval, known, ratio, unit_for
from reports.parts import Block, Cell, Column, Row, Table, amount, whole
from reports.wording import anchor, badge, only, verdict_of

TITLE, ORDER = "Costs", 20


class Spec(NamedTuple):
    """A column: the quantity's name in the analysis, its title and base unit, and whether a ratio follows."""

    key: str
    title: str
    base: str
    has_ratio: bool = False

    def badge(self, provenance: str) -> str:
        return provenance if self.base in ("J", "W", "J·s", "1/kJ") else ""


QUALITY = Spec("quality", "Quality", "")
PER_ENERGY = Spec("quality_per_kj", "Quality per energy", "1/kJ")
WHOLE = (
    Spec("energy_j", "Energy", "J", True),
    Spec("duration_s", "Time", "s", True),
    Spec("mean_power_w", "Mean power", "W"),
    Spec("cpu_s", "CPU time", "s"),
    Spec("memory_peak_bytes", "Peak memory", "bytes"),
    Spec("energy_delay_js", "Energy x time", "J·s"),
)
STAGE = (
    Spec("stage_energy_j", "Energy", "J", True),
    Spec("stage_duration_s", "Time", "s", True),
    Spec("stage_mean_power_w", "Mean power", "W"),
    Spec("stage_energy_j_per_sample", "Energy per sample", "J"),
    Spec("stage_energy_j_per_epoch", "Energy per epoch", "J"),
)
WHOLE_DETAIL = "geometric means over runs; quality: arithmetic mean"
STAGE_DETAIL = "geometric means over runs"
STAGE_REMARK = (
    "Stage alone: compilation and {stage} phases, without imports, data loading, evaluation and teardown."
)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    return {"blocks": [_block(analysis, group, index) for index, group in enumerate(analysis.groups)]}


def _block(analysis: Analysis, group: Group, index: int) -> Block:
    rows, provenance = group.select(analysis.costs), badge(analysis, group)
    metric = _metric(group.select(analysis.counted))
    specs = (*WHOLE, QUALITY._replace(title=metric), PER_ENERGY._replace(title=f"{metric} per energy"))
    body = _rows(rows, group, specs, provenance)
    whole_run = Table(
        f"costs-whole-{index + 1}",
        "Whole run",
        _columns(specs, provenance),
        body,
        group.title,
        WHOLE_DETAIL,
    )
    body, remark = _rows(rows, group, STAGE, provenance), STAGE_REMARK.format(stage=group.stage)
    stage = Table(
        f"costs-stage-{index + 1}",
        "Stage alone",
        _columns(STAGE, provenance),
        body,
        group.title,
        STAGE_DETAIL,
        remarks=(remark,),
    )
    return Block(anchor("costs", index), group.title, tables=(whole_run, stage))


def _metric(runs: pd.DataFrame) -> str:
    names = sorted(set(runs["quality_metric"].dropna()))
    return names[0].capitalize() if len(names) == 1 else QUALITY.title


def _columns(specs: tuple[Spec, ...], provenance: str) -> tuple[Column, ...]:
    columns = [Column("treatment", "Framework"), Column("runs", "Runs", numeric=True)]
    for spec in specs:
        columns.append(Column(spec.key, spec.title, numeric=True, badge=spec.badge(provenance)))
        columns += [Column(f"{spec.key}-ratio", "Ratio", numeric=True)] if spec.has_ratio else []
    return tuple(columns)


def _rows(rows: pd.DataFrame, group: Group, specs: tuple[Spec, ...], provenance: str) -> tuple[Row, ...]:
    units = {one.key: unit_for(map(known, only(rows, quantity=one.key)["mean"]), one.base) for one in specs}
    return tuple(
        Row(name, tuple(_cells(only(rows, treatment=name), name, specs, units, provenance)))
        for name in group.treatments
    )


def _cells(
    rows: pd.DataFrame, name: str, specs: tuple[Spec, ...], units: dict[str, Unit], provenance: str
) -> list[Cell]:
    cells = [Cell(name), whole(rows["runs"].iloc[0])]
    for spec in specs:
        row = only(rows, quantity=spec.key).iloc[0]
        cells.append(_mean(row, units[spec.key], spec.badge(provenance)))
        cells += [_ratio(row)] if spec.has_ratio else []
    return cells


def _mean(row: pd.Series, unit: Unit, provenance: str) -> Cell:
    """Where the column's provenance is mixed, each number says its own."""
    some = f"from {row['n']} of {row['runs']} runs" if 0 < row["n"] < row["runs"] else ""
    minor = row["provenance"] if provenance.startswith("mixed") else some
    digits = 4 if row["quantity"] == QUALITY.key else 3
    return amount(row["mean"], unit, row["reason"], "best" if row["best"] else "", minor, digits)


def _ratio(row: pd.Series) -> Cell:
    value = known(row["ratio"])
    if value is None:
        return Cell(DASH, note=str(row["ratio_reason"]))
    verdict, withheld = verdict_of(row)
    note = f"no verdict: {withheld}" if withheld else ""
    if verdict == "reference":
        return Cell("1×", repr(value), note=note)
    return Cell(ratio(value), repr(value), minor=interval(known(row["low"]), known(row["high"])), note=note)
