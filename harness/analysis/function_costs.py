"""What the functions of one profiled run cost in joules and seconds, from its samples and its stacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness.attribution.attribute import Attribution, attribute
from harness.attribution.energy_read import intervals
from harness.attribution.functions import SeenFunctions, folded, innermost
from harness.energy.joules import doubts_of, run_energy
from harness.errors import UsageError
from harness.profiling import stacks_file
from harness.sampling import reading
from harness.store import Run


@dataclass(frozen=True)
class FunctionCosts:
    """Rows by joules: function, joules, half_width_j, share, seconds, power_w, group; and the run's balance.

    Functions of one group, a number, the meter cannot tell apart; -1 of one that it can. `stacks`: joules of each
    whole stack.
    """

    rows: pd.DataFrame
    found: Attribution
    energy_j: float
    provenance: str
    stacks: Mapping[str, float]


def of_run(run: Run, idle_w: float | None) -> FunctionCosts:
    """Raises: UsageError for a run without energy, or without stacks."""
    record = run.record
    begin_ns, end_ns = record.go_ns, record.done_ns
    if begin_ns is None or end_ns is None:
        raise UsageError(f"{record.planned.run_id} did not come to its end: {record.reason}")
    series = reading.read(run.samples_path, record.channels)
    energy = run_energy(series, record.channels, begin_ns, end_ns, doubts_of(series))
    if energy.energy_j is None:
        raise UsageError(f"{record.planned.run_id} has no energy: {energy.reason}")
    seen = stacks_file.read(run.folder)
    functions = innermost(seen.t_ns, seen.stacks)
    read = intervals([one for one in series if one.channel.boundary], begin_ns, end_ns)
    unsure = (energy.uncertainty_j or 0.0) / energy.energy_j if energy.energy_j else 0.0
    found = attribute(read, functions.looks, idle_w=idle_w or 0.0, meter_share=unsure)
    inside = [stack for t, stack in zip(seen.t_ns, seen.stacks, strict=True) if begin_ns <= t < end_ns]
    rows = _rows(functions, found, energy.energy_j)
    return FunctionCosts(
        rows, found, energy.energy_j, str(energy.provenance), folded(inside, found.of_looks_j)
    )


def _rows(functions: SeenFunctions, found: Attribution, energy_j: float) -> pd.DataFrame:
    several = np.bincount(found.group[found.seconds > 0], minlength=len(found.group))[found.group] > 1
    frame = pd.DataFrame(
        {
            "function": functions.names,
            "joules": found.joules,
            "half_width_j": found.half_widths_j,
            "share": found.joules / energy_j if energy_j else np.nan,
            "seconds": found.seconds,
            "group": np.where(several, found.group, -1),
        }
    )
    frame["power_w"] = frame["joules"] / frame["seconds"].where(frame["seconds"] > 0)
    return frame[frame["seconds"] > 0].sort_values("joules", ascending=False, ignore_index=True)
