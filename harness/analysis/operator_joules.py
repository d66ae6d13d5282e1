"""Joules of a framework's operators: those of what its profiler recorded, shared by the operators' own time (R38)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness.attribution.by_time import TimeShares, share_by_time
from harness.attribution.energy_read import intervals
from harness.devices import HOST
from harness.energy.joules import doubts_of, run_energy
from harness.energy.series import NS_PER_S
from harness.errors import UsageError
from harness.sampling import reading
from harness.store import Run

SHARED = "shared by time, not sampled"
FEWEST_READINGS = 5  # between the ends: with fewer nobody knows how the power went


@dataclass(frozen=True)
class OperatorJoules:
    """`shares`: of the operators, in their order; `energy_j` of the interval, with its half-width, as the meter has it.

    `told_apart`: whether the meter read often enough to tell the least and the most that an operator can have taken.
    """

    shares: TimeShares
    energy_j: float
    half_width_j: float | None
    provenance: str
    covered_s: float
    recorded_s: float
    readings: int

    @property
    def told_apart(self) -> bool:
        return self.readings >= FEWEST_READINGS


def of_run(run: Run, told: pd.DataFrame, idle_w: float | None) -> OperatorJoules:
    """`told`: OPERATOR_COLUMNS. Raises: UsageError with the reason where joules cannot be told."""
    begin_ns, end_ns, covered_s = _interval(run, told)
    record = run.record
    series = reading.read(run.samples_path, record.channels)
    energy = run_energy(series, record.channels, begin_ns, end_ns, doubts_of(series))
    if energy.energy_j is None:
        raise UsageError(f"no energy is known of what was recorded: {energy.reason}")
    read = intervals([one for one in series if one.channel.boundary], begin_ns, end_ns)
    unsure = (energy.uncertainty_j or 0.0) / energy.energy_j if energy.energy_j else 0.0
    seconds = told["seconds"].to_numpy(float)
    shares = share_by_time(
        read, seconds, covered_s, idle_w=idle_w or 0.0, meter_share=float(np.minimum(unsure, 1.0))
    )
    return OperatorJoules(
        shares=shares,
        energy_j=energy.energy_j,
        half_width_j=energy.uncertainty_j,
        provenance=str(energy.provenance),
        covered_s=covered_s,
        recorded_s=(end_ns - begin_ns) / NS_PER_S,
        readings=len(read.borders_ns) - 2,
    )


def _interval(run: Run, told: pd.DataFrame) -> tuple[int, int, float]:
    """Begin and end in CLOCK_MONOTONIC ns, and the seconds with operators; a worker's word, which has its bounds."""
    record, (began_ns, recorded_s, covered_s) = run.record, _first(told)
    if record.planned.treatment.device != HOST:
        raise UsageError(
            "a GPU works apart from the clock of its calls: joules are told of runs on the CPU alone"
        )
    if np.isnan(began_ns) or np.isnan(covered_s) or record.go_ns is None or record.done_ns is None:
        raise UsageError("when it was recorded is not told: profile anew")
    begin_ns, end_ns = int(began_ns), int(began_ns + recorded_s * NS_PER_S)
    if not record.go_ns <= begin_ns < end_ns <= record.done_ns:
        raise UsageError("what was recorded lies outside of its run")
    return begin_ns, end_ns, covered_s


def _first(told: pd.DataFrame) -> tuple[float, float, float]:
    """All rows have the same."""
    first = told[:1]
    if first.empty:
        raise UsageError("no operator was seen")
    began_ns, recorded_s, covered_s = first[["began_ns", "recorded_s", "covered_s"]].to_numpy(float)[0]
    return began_ns, recorded_s, covered_s
