"""Tidy frames of a campaign: one row per run, per phase, per epoch. Every figure of a report starts here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from harness.energy import Energy, idle_power_w, net_j, run_energy
from harness.records import Outcome
from harness.series import Series, counter_increase, gauge_peak, seconds, series_of
from harness.store import Campaign, Run
from suite.protocol import Event

STAGE_PHASES = {"train": ("compile", "train"), "infer": ("compile", "infer")}

RUN_COLUMNS = [
    "campaign", "run_id", "block", "position", "repetition", "purpose",
    "workload", "framework", "version", "stage", "dataset", "device", "settings", "isolation",
    "outcome", "reason", "duration_s", "energy_j", "energy_uncertainty_j", "mean_power_w",
    "idle_power_w", "energy_net_j", "provenance", "energy_boundary", "energy_reason",
    "stage_duration_s", "stage_energy_j", "cpu_s", "memory_peak_bytes",
    "quality_metric", "quality", "samples", "steps", "parameters",
]  # fmt: skip
RUN_NUMBERS = [
    "duration_s", "energy_j", "energy_uncertainty_j", "mean_power_w", "idle_power_w", "energy_net_j",
    "stage_duration_s", "stage_energy_j", "cpu_s", "memory_peak_bytes", "quality", "samples", "steps",
    "parameters",
]  # fmt: skip
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
PHASE_NUMBERS = ["duration_s", "energy_j", "energy_uncertainty_j"]
METRICS = ["loss", "accuracy", "precision", "recall", "f1"]
EPOCH_COLUMNS = ["run_id", "epoch", *METRICS, *PHASE_NUMBERS]
EPOCH_NUMBERS = [*METRICS, *PHASE_NUMBERS]


@dataclass(frozen=True)
class Tables:
    """runs: RUN_COLUMNS; phases: PHASE_COLUMNS; epochs: EPOCH_COLUMNS. Unknown is null.

    `phases` holds `startup` too, which lies before the measured window (go to done). `epochs` has one row per
    metrics event: epoch is null for those of stage infer, which have no costs of their own. `energy_uncertainty_j` is
    the half-width of the 95 % interval that sampling leaves (harness.series), not the sensor's accuracy.
    """

    runs: pd.DataFrame
    phases: pd.DataFrame
    epochs: pd.DataFrame


def tables(campaign: Campaign) -> Tables:
    """Integrates every stored run. Only runs with a `done` window have durations and energies."""
    idle_w = {
        block: _idle_w(campaign, block) for block in {run.record.planned.block for run in campaign.runs}
    }
    read = [_RunReader(run, idle_w[run.record.planned.block]) for run in campaign.runs]
    return Tables(
        _frame([one.row() for one in read], RUN_COLUMNS, RUN_NUMBERS),
        _frame([row for one in read for row in one.phases], PHASE_COLUMNS, PHASE_NUMBERS),
        _frame([row for one in read for row in one.epoch_rows()], EPOCH_COLUMNS, EPOCH_NUMBERS),
    )


def _frame(rows: list[dict[str, Any]], columns: list[str], numbers: list[str]) -> pd.DataFrame:
    """Numbers become float64 whatever a worker sent in their place; what is none becomes null."""
    frame = pd.DataFrame(rows, columns=columns)
    for name in numbers:
        frame[name] = pd.to_numeric(frame[name], errors="coerce").astype("float64")
    return frame


def _idle_w(campaign: Campaign, block: int) -> float | None:
    """Mean power of the idle machine before a block; None where no baseline was taken."""
    samples = campaign.baseline(block)
    if samples is None:
        return None
    return idle_power_w(series_of(samples, campaign.record.channels), campaign.record.channels)


def measured(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs that count: measured on purpose and ok."""
    return runs[(runs["purpose"] == "measure") & (runs["outcome"] == Outcome.OK)]


class _RunReader:
    """One run's rows; samples are read once."""

    def __init__(self, run: Run, idle_w: float | None) -> None:
        self.idle_w = idle_w
        self.record, self.events = run.record, run.events
        self.channels = run.record.channels
        self.series: list[Series] = series_of(run.samples, self.channels)
        self.phases = [self._phase_row(*phase) for phase in [*self._startup(), *phases(run.events)]]

    def row(self) -> dict[str, Any]:
        planned, treatment = self.record.planned, self.record.planned.treatment
        return {
            "campaign": self.record.campaign_id,
            **planned.model_dump(exclude={"treatment"}),
            **treatment.model_dump(exclude={"settings"}),
            "settings": json.dumps(treatment.settings, sort_keys=True),
            "isolation": self.record.isolation,
            "outcome": str(self.record.outcome),
            "reason": self.record.reason,
            **self._costs(),
            **self._last("usage", "cpu_s", "memory_peak_bytes"),
            **self._memory_from_host(),
            **self._quality(),
            **self._last("work", "samples", "steps", "parameters"),
        }

    def _costs(self) -> dict[str, Any]:
        begin, end = self.record.go_ns, self.record.done_ns
        if begin is None or end is None:
            return {"energy_reason": "the run did not finish"}
        energy, duration_s = self._energy(begin, end), seconds(begin, end)
        names = STAGE_PHASES.get(self.record.planned.treatment.stage, ())
        stage = [p for p in self.phases if p["phase"] in names]
        return {
            "duration_s": duration_s,
            "energy_j": energy.energy_j,
            "energy_uncertainty_j": energy.uncertainty_j,
            "mean_power_w": _power(energy.energy_j, duration_s),
            "idle_power_w": self.idle_w,
            "energy_net_j": net_j(energy.energy_j, self.idle_w, duration_s),
            "provenance": energy.provenance and str(energy.provenance),
            "energy_boundary": " + ".join(energy.domains) or None,
            "energy_reason": energy.reason,
            "stage_duration_s": _total(p["duration_s"] for p in stage),
            "stage_energy_j": _total(p["energy_j"] for p in stage),
        }

    def _energy(self, begin_ns: int, end_ns: int) -> Energy:
        return run_energy(self.series, self.channels, begin_ns, end_ns)

    def _memory_from_host(self) -> dict[str, Any]:
        """Peak memory and CPU time as the host saw them, which include every child; else the worker's own."""
        begin, end = self.record.start_ns, self.record.exit_ns
        by_name = {one.channel.name: one for one in self.series}
        found: dict[str, Any] = {}
        if (memory := by_name.get("process/memory_peak")) is not None:
            found["memory_peak_bytes"] = gauge_peak(memory, begin, end)
        if (cpu := by_name.get("process/cpu_time")) is not None and self.record.done_ns and self.record.go_ns:
            found["cpu_s"] = counter_increase(cpu, self.record.go_ns, self.record.done_ns)
        return {name: value for name, value in found.items() if value is not None}

    def _quality(self) -> dict[str, Any]:
        last = next((e for e in reversed(self.events) if e.kind == "metrics"), None)
        if last is None:
            return {"quality_metric": None, "quality": None}
        metric = last.data.get("metric")
        return {"quality_metric": metric, "quality": last.data.get("values", {}).get(metric)}

    def _last(self, kind: str, *names: str) -> dict[str, Any]:
        event = next((e for e in reversed(self.events) if e.kind == kind), None)
        return {name: event.data.get(name) if event else None for name in names}

    def _startup(self) -> Iterator[tuple[str, int | None, int, int]]:
        """From the container's start until its worker is ready: no part of the measured window."""
        if self.record.ready_ns is not None:
            yield "startup", None, self.record.start_ns, self.record.ready_ns

    def _phase_row(self, name: str, epoch: int | None, begin_ns: int, end_ns: int) -> dict[str, Any]:
        energy = self._energy(begin_ns, end_ns)
        return {
            "run_id": self.record.planned.run_id,
            "phase": name,
            "epoch": epoch,
            "begin_ns": begin_ns,
            "end_ns": end_ns,
            "duration_s": seconds(begin_ns, end_ns),
            "energy_j": energy.energy_j,
            "energy_uncertainty_j": energy.uncertainty_j,
        }

    def epoch_rows(self) -> Iterator[dict[str, Any]]:
        training = {p["epoch"]: p for p in self.phases if p["phase"] == "train"}
        for event in self.events:
            if event.kind == "metrics":
                epoch = event.data.get("epoch")
                costs = {name: training[epoch][name] for name in PHASE_NUMBERS if epoch in training}
                values = event.data.get("values", {})
                yield {"run_id": self.record.planned.run_id, "epoch": epoch, **values, **costs}


def phases(events: Sequence[Event]) -> Iterator[tuple[str, int | None, int, int]]:
    """(name, epoch, begin_ns, end_ns) of every phase that both began and ended."""
    began: dict[tuple[str, int | None], int] = {}
    for event in events:
        if event.kind == "phase":
            key = (event.data["name"], event.data.get("epoch"))
            if event.data["edge"] == "begin":
                began[key] = event.t_ns
            elif key in began:
                yield *key, began.pop(key), event.t_ns


def _total(parts: Iterator[float | None]) -> float | None:
    known = list(parts)
    return None if not known or None in known else float(sum(part for part in known if part is not None))


def _power(energy_j: float | None, duration_s: float) -> float | None:
    return energy_j / duration_s if energy_j is not None and duration_s > 0 else None
