"""Tidy frames of a campaign: one row per run, per phase, per epoch. Every figure of a report starts here."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pandas as pd

from harness.analysis import equal_work, replicates
from harness.analysis.arrivals import ANSWERED
from harness.analysis.quantities import GPU_MEMORY, PHASE_NUMBERS, recorded, units_column
from harness.analysis.replicates import NODE, SESSION
from harness.analysis.run_rows import METRICS, WORK, RunRows, metrics_of, rows_of
from harness.analysis.serving import SERVED
from harness.analysis.utilisation import PEAK, UTILISED, peak_of
from harness.energy.joules import idle_power_w
from harness.inventory.tasks import Tasks
from harness.records import IMPORTED, Outcome, Purpose
from harness.records.source import of_block
from harness.sampling import reading
from harness.store import Campaign, Run, baseline_path

RUN_COLUMNS = [
    "campaign", "run_id", "block", "position", "repetition", "purpose", "profiler",
    "workload", "framework", "version", "stage", "dataset", "device", "settings", "mode", "isolation",
    "outcome", "reason", "duration_s", "energy_j", "energy_uncertainty_j", "energy_resolution_j",
    "mean_power_w", "idle_power_w", "energy_net_j", "provenance", "energy_boundary", "energy_reason",
    "stage_duration_s", "stage_energy_j", "stage_energy_uncertainty_j", "cpu_s", "memory_peak_bytes",
    "quality_metric", "quality", *WORK, "epochs",
]  # fmt: skip
AS_TOLD = {
    "campaign", "run_id", "block", "position", "repetition", "purpose", "profiler", "workload", "framework", "version",
    "stage", "dataset", "device", "settings", "mode", "isolation", "outcome", "reason", "provenance", "energy_boundary",
    "energy_reason", "quality_metric", NODE, SESSION,
}  # fmt: skip
PHASE_COLUMNS = [
    "run_id",
    "phase",
    "epoch",
    "begin_ns",
    "end_ns",
    "duration_s",
    "energy_j",
    "energy_uncertainty_j",
]
EPOCH_COLUMNS = [
    "run_id",
    "epoch",
    *METRICS,
    *PHASE_NUMBERS,
]  # and the other metrics that runs told, after these


@dataclass(frozen=True)
class Tables:
    """Unknown is null.

    `runs`: RUN_COLUMNS, the units of work, SERVED and ANSWERED where some run's stage has such parts, what else the
    registry has of a run's record, UTILISED where the plan states peaks, GPU_MEMORY where runs tell it, and of a merged
    campaign the session, and the node where there are several; `phases`: PHASE_COLUMNS; `epochs`: EPOCH_COLUMNS, with
    the other metrics that were told.

    `phases` holds `startup` too, which lies before the measured window (go to done). `epochs` has one row per
    metrics event: epoch is null for those of stage infer, which have no costs of their own. `energy_uncertainty_j` is
    the half-width of the 95 % interval that sampling leaves (harness.energy.series), not the sensor's accuracy;
    `energy_resolution_j` the smallest step of the energy, where every addend's meter tells its own.
    """

    runs: pd.DataFrame
    phases: pd.DataFrame
    epochs: pd.DataFrame


def tables(campaign: Campaign) -> Tables:
    """Integrates every stored run. Only runs with a `done` window have durations and energies."""
    return assembled(campaign, rows_by_run(campaign))


def rows_by_run(campaign: Campaign, leave_out: Container[str] = ()) -> dict[str, RunRows]:
    """Run folder's name -> its rows, of the runs that are not left out."""
    runs = [run for run in campaign.runs if run.folder.name not in leave_out]
    idle_w = {block: idle_w_before(campaign, block) for block in {run.record.planned.block for run in runs}}
    tasks = Tasks.of(campaign.record)
    return {
        run.folder.name: rows_of(run, idle_w[run.record.planned.block], _parts(run, tasks)) for run in runs
    }


def _parts(run: Run, tasks: Tasks) -> tuple[str, ...]:
    treatment = run.record.planned.treatment
    return tasks.task(treatment.workload).parts(treatment.stage)


def assembled(campaign: Campaign, rows: Mapping[str, RunRows]) -> Tables:
    """`rows`: of every run of the campaign, by its folder's name."""
    read = [rows[run.folder.name] for run in campaign.runs]
    units = map(units_column, Tasks.of(campaign.record).units(_workloads(campaign)))
    of_parts = [several for several in (SERVED, ANSWERED) if any(several[0] in one.run for one in read)]
    served = chain(*of_parts)
    peaks = UTILISED if campaign.record.plan.peak_flops_per_s else []
    of_gpus = [GPU_MEMORY.name] if any(one.run[GPU_MEMORY.name] is not None for one in read) else []
    where = replicates.columns(campaign.record.sources)
    columns = list(
        dict.fromkeys(
            [*RUN_COLUMNS, *where, *units, *served, *(one.name for one in recorded()), *peaks, *of_gpus]
        )
    )
    numbers = [name for name in columns if name not in AS_TOLD]
    epochs = [row for one in read for row in one.epochs]
    metrics = metrics_of(name for row in epochs for name in row)
    return Tables(
        _without_parted(_frame(list(_completed(campaign, read)), columns, numbers), campaign),
        _frame([row for one in read for row in one.phases], PHASE_COLUMNS, PHASE_NUMBERS),
        _frame(epochs, ["run_id", "epoch", *metrics, *PHASE_NUMBERS], [*metrics, *PHASE_NUMBERS]),
    )


def _completed(campaign: Campaign, read: list[RunRows]) -> Iterator[dict[str, Any]]:
    """With what their own records do not tell. `read`: of the campaign's runs, in their order."""
    for run, one in zip(campaign.runs, read, strict=True):
        peak = {PEAK: peak_of(campaign.record.plan, run.record.planned.treatment)}
        yield {**one.run, **peak, **replicates.place(run.source, campaign.record.sources)}


def _workloads(campaign: Campaign) -> Iterator[str]:
    yield from (one.workload for one in campaign.record.plan.treatments)
    yield from (run.record.planned.treatment.workload for run in campaign.runs)


def _frame(rows: list[dict[str, Any]], columns: list[str], numbers: list[str]) -> pd.DataFrame:
    """Numbers become float64 whatever a worker sent in their place; what is none becomes null."""
    frame = pd.DataFrame(rows, columns=columns)
    for name in numbers:
        frame[name] = pd.to_numeric(frame[name], errors="coerce").astype("float64")
    return frame


def _without_parted(runs: pd.DataFrame, campaign: Campaign) -> pd.DataFrame:
    """What only all runs together show: who computed something else is invalid, as if its own record said so."""
    imported = campaign.record.isolation == IMPORTED
    for run_id, reason in equal_work.parted(campaign.runs, Tasks.of(campaign.record), imported).items():
        runs.loc[runs["run_id"] == run_id, ["outcome", "reason"]] = str(Outcome.INVALID), reason
    return runs


def idle_w_before(campaign: Campaign, block: int) -> float | None:
    """Mean power of the idle machine before a block; None where no baseline was taken."""
    sources = campaign.record.sources
    number = of_block(block, sources)
    channels = sources[number - 1].channels if number else campaign.record.channels
    series = reading.read(baseline_path(campaign.folder, block), channels)
    return idle_power_w(series, channels) if series else None


def profiled(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs that were looked at and came to their end: they count for what looking costs, and for nothing else."""
    return runs[(runs["purpose"] == Purpose.PROFILE) & (runs["outcome"] == Outcome.OK)]


def measured(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs that count: measured on purpose and ok."""
    return runs[(runs["purpose"] == Purpose.MEASURE) & (runs["outcome"] == Outcome.OK)]
