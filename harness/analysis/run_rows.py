"""What one run cost and how well it did, both from that run (rule R26): its row, those of its phases and epochs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import hypot
from typing import Any

from harness.analysis.arrivals import ANSWERED, arrive, slots, waits
from harness.analysis.quantities import GPU_MEMORY, PHASE_NUMBERS, recorded, units_column
from harness.analysis.serving import DECODE, PARTS, PREFILL, SERVED, latencies, room, serves
from harness.analysis.utilisation import WORKED
from harness.energy.joules import Energy, doubts_of, net_j, run_energy
from harness.energy.series import counter_increase, gauge_peak, seconds
from harness.records import IMPORTED
from harness.sampling import reading
from harness.store import Run
from harness.worker.phases import Phase, passes, phases, windows

EPOCH_KEYS = ["run_id", "epoch", *PHASE_NUMBERS]  # no metric may call itself so
Rows = list[dict[str, Any]]

WORK = ("samples", "steps", "parameters", "flops_per_step", "data_bytes")
BEFORE_ANY_STAGE = "compile"  # of its phases; the others bear its own name
METRICS = ["loss", "accuracy", "precision", "recall", "f1"]  # columns of every campaign, told or not
MOST_METRICS = 64


@dataclass(frozen=True)
class RunRows:
    """Columns as in harness.analysis.tables."""

    run: dict[str, Any]
    phases: Rows
    epochs: Rows


def rows_of(run: Run, idle_w: float | None, parts: Sequence[str] = ()) -> RunRows:
    """Reads a run's samples once, and lets go of them: a campaign's do not fit into memory together.

    `parts`: of its stage, where the workload tells any.
    """
    reader = _RunReader(run, idle_w, parts)
    return RunRows(reader.row(), reader.phases, list(reader.epoch_rows()))


class _RunReader:
    """One run, with its samples in memory."""

    def __init__(self, run: Run, idle_w: float | None, parts: Sequence[str]) -> None:
        self.idle_w, self.parts = idle_w, parts
        self.record, self.events = run.record, run.events
        self.channels = run.record.channels
        self.series = reading.read(run.samples_path, self.channels)
        self.doubts = doubts_of(self.series)
        self.marked = [*self._startup(), *phases(run.events)]
        self.phases = [self._phase_row(*phase) for phase in self.marked]

    def row(self) -> dict[str, Any]:
        planned, treatment = self.record.planned, self.record.planned.treatment
        return {
            "campaign": self.record.campaign_id,
            **planned.model_dump(mode="json", exclude={"treatment"}),
            "profiler": self._profiler(),
            **treatment.model_dump(exclude={"settings"}),
            "settings": json.dumps(treatment.settings, sort_keys=True),
            "mode": self._mode(),
            "isolation": self.record.isolation,
            "outcome": str(self.record.outcome),
            "reason": self.record.reason,
            **self._costs(),
            **{one.name: one.told(self.events) for one in (*recorded(), GPU_MEMORY) if one.told},
            **self._memory_from_host(),
            **self._quality(),
            **self._last("work", *WORK),
            **self._units(),
            "epochs": self._epochs(),
        }

    def _profiler(self) -> str | None:
        """That of --profile-runs has no name in the plan; nobody looked at what was imported."""
        planned = self.record.planned
        looked_at = planned.looked_at and self.record.isolation != IMPORTED
        return str(planned.looked_at_by) if looked_at else planned.profiler

    def _costs(self) -> dict[str, Any]:
        begin, end = self.record.go_ns, self.record.done_ns
        if begin is None or end is None:
            return {"energy_reason": "the run did not finish"}
        energy, duration_s = self._energy(begin, end), seconds(begin, end)
        return {
            "duration_s": duration_s,
            "energy_j": energy.energy_j,
            "energy_uncertainty_j": energy.uncertainty_j,
            "energy_resolution_j": energy.resolution_j,
            "mean_power_w": _power(energy.energy_j, duration_s),
            "idle_power_w": self.idle_w,
            "energy_net_j": net_j(energy.energy_j, self.idle_w, duration_s),
            "provenance": energy.provenance and str(energy.provenance),
            "energy_boundary": " + ".join(energy.domains) or None,
            "energy_reason": energy.reason,
            **self._stage(),
        }

    def _stage(self) -> dict[str, Any]:
        """Of the stage alone; of one in parts each pass is a window, within which they share their borders."""
        names = BEFORE_ANY_STAGE, self.record.planned.treatment.stage
        own = [p for p in self.phases if p["phase"] in names]
        of_parts = [windows(self.marked, name) for name in self.parts]
        apart = [[self._cost(*window) for window in several] for several in of_parts]
        whole = [self._cost(*window) for window in passes(of_parts)]
        served = serves(self.parts) and any(apart)
        at_work = [p for p in own if p["phase"] != BEFORE_ANY_STAGE]
        return {
            WORKED: _total(one["duration_s"] for one in [*at_work, *chain(*apart)]),
            **_summed("stage", [*own, *chain(*apart)], [*own, *whole]),
            **(self._served(dict(zip(self.parts, apart, strict=True)), whole) if served else {}),
            **(self._answered(whole) if arrive(self.parts) and whole else {}),
        }

    def _answered(self, whole: Rows) -> dict[str, Any]:
        """Columns as in harness.analysis.arrivals."""
        work = self._last("work", "slot_steps", "idle_slot_steps", "cache_bytes")
        found = {**_summed(PARTS, whole, whole), **waits(self.events), **slots(work)}
        return {name: found[name] for name in ANSWERED}

    def _served(self, apart: Mapping[str, Rows], whole: Rows) -> dict[str, Any]:
        """Columns as in harness.analysis.serving."""
        of_each = [_summed(name, apart[name], apart[name]) for name in (PREFILL, DECODE)]
        both = _summed(PARTS, [*apart[PREFILL], *apart[DECODE]], whole)
        found = {name: value for one in (*of_each, both) for name, value in one.items() if name in SERVED}
        work = self._last("work", "units", "samples", "padding_tokens", "cache_bytes")
        return found | latencies(self.marked, work) | room(work)

    def _energy(self, begin_ns: int, end_ns: int) -> Energy:
        return run_energy(self.series, self.channels, begin_ns, end_ns, self.doubts)

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

    def _units(self) -> dict[str, int]:
        """Of work, beside the samples."""
        told = self._last("work", "units")["units"] or {}
        return {units_column(unit): count for unit, count in told.items()}

    def _mode(self) -> str | None:
        mode = self._last("facts", "mode")["mode"]
        return mode if isinstance(mode, str) else None

    def _last(self, kind: str, *names: str) -> dict[str, Any]:
        event = next((e for e in reversed(self.events) if e.kind == kind), None)
        return {name: event.data.get(name) if event else None for name in names}

    def _epochs(self) -> int | None:
        """How many were trained; None where the work has none."""
        return sum(p["phase"] == "train" and p["epoch"] is not None for p in self.phases) or None

    def _startup(self) -> Iterator[Phase]:
        """From the container's start until its worker is ready: no part of the measured window."""
        if self.record.ready_ns is not None:
            yield Phase("startup", None, self.record.start_ns, self.record.ready_ns)

    def _phase_row(self, name: str, epoch: int | None, begin_ns: int, end_ns: int) -> dict[str, Any]:
        marks = {"phase": name, "epoch": epoch, "begin_ns": begin_ns, "end_ns": end_ns}
        return {"run_id": self.record.planned.run_id, **marks, **self._cost(begin_ns, end_ns)}

    def _cost(self, begin_ns: int, end_ns: int) -> dict[str, Any]:
        """PHASE_NUMBERS."""
        energy = self._energy(begin_ns, end_ns)
        return {
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
                metrics = {name: values[name] for name in values if name not in EPOCH_KEYS}
                yield {"run_id": self.record.planned.run_id, "epoch": epoch, **metrics, **costs}


def metrics_of(epochs: Iterable[str]) -> list[str]:
    """Of the names in rows or columns of epochs: those of before first, the others as they come."""
    told = (name for name in epochs if name not in EPOCH_KEYS)
    return list(dict.fromkeys([*METRICS, *told]))[:MOST_METRICS]


def _summed(name: str, addends: Rows, borders: Rows) -> dict[str, Any]:
    """PHASE_NUMBERS under a name; `borders`: the same time in as few windows as it has, of which sums are unsure."""
    return {
        f"{name}_duration_s": _total(one["duration_s"] for one in addends),
        f"{name}_energy_j": _total(one["energy_j"] for one in addends),
        f"{name}_energy_uncertainty_j": _in_quadrature(one["energy_uncertainty_j"] for one in borders),
    }


def _total(parts: Iterator[float | None]) -> float | None:
    known = list(parts)
    return None if not known or None in known else float(sum(part for part in known if part is not None))


def _in_quadrature(parts: Iterator[float | None]) -> float | None:
    """Phases that adjoin share a border, whose errors cancel: the root of the sum of squares is no less than both."""
    known = list(parts)
    return None if not known or None in known else hypot(*(part for part in known if part is not None))


def _power(energy_j: float | None, duration_s: float) -> float | None:
    return energy_j / duration_s if energy_j is not None and duration_s > 0 else None
