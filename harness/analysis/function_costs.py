"""What the functions of one profiled run cost in joules and seconds, from its samples and its stacks."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
import pandas as pd

from harness.attribution.attribute import Attribution, attribute
from harness.attribution.energy_read import intervals
from harness.attribution.functions import SeenFunctions, folded, innermost
from harness.attribution.seen_phases import PhaseWindow, SeenPhases
from harness.energy.joules import doubts_of, run_energy
from harness.errors import UsageError
from harness.profiling import stacks_file
from harness.sampling import reading
from harness.store import Run
from harness.worker.phases import phases

OPEN_SHARE = 1e-3  # of a run's energy, by which a balance may be open


@dataclass(frozen=True)
class FunctionCosts:
    """Rows by joules: function, joules, half_width_j, share, seconds, power_w, group; and the run's balance.

    Functions of one group, a number, the meter cannot tell apart; -1 of one that it can. `phases`: the same joules by
    phase (phase, joules, half_width_j), in the run's order, and `in_phases` by phase and function (phase, function,
    joules, half_width_j). `stacks`: joules of each whole stack.
    """

    rows: pd.DataFrame
    phases: pd.DataFrame
    in_phases: pd.DataFrame
    found: Attribution
    energy_j: float
    provenance: str
    stacks: Mapping[str, float]


def of_run(run: Run, idle_w: float | None, always: Container[str] = ()) -> FunctionCosts:
    """`always`: names of functions that have a row however seldom they were seen.

    Raises: UsageError for a run without energy, or without stacks.
    """
    record = run.record
    begin_ns, end_ns = record.go_ns, record.done_ns
    if begin_ns is None or end_ns is None:
        raise UsageError(f"{record.planned.run_id} did not come to its end: {record.reason}")
    series = reading.read(run.samples_path, record.channels)
    energy = run_energy(series, record.channels, begin_ns, end_ns, doubts_of(series))
    if energy.energy_j is None:
        raise UsageError(f"{record.planned.run_id} has no energy: {energy.reason}")
    seen = stacks_file.read(run.folder)
    functions = innermost(seen.t_ns, seen.stacks, always)
    read = intervals([one for one in series if one.channel.boundary], begin_ns, end_ns)
    unsure = (energy.uncertainty_j or 0.0) / energy.energy_j if energy.energy_j else 0.0
    marked = _phases(run)
    found = attribute(read, functions.looks, idle_w=idle_w or 0.0, meter_share=unsure, phases=marked)
    _require_closed(found, energy.energy_j)
    inside = [stack for t, stack in zip(seen.t_ns, seen.stacks, strict=True) if begin_ns <= t < end_ns]
    return FunctionCosts(
        _rows(functions, found, energy.energy_j),
        _of_phases(marked, found),
        _in_phases(marked, functions, found),
        found,
        energy.energy_j,
        str(energy.provenance),
        folded(inside[: len(found.of_looks_j)], found.of_looks_j),  # none where there were too few
    )


def _require_closed(found: Attribution, energy_j: float) -> None:
    """Nothing is shown of parts that are not those of the whole."""
    if abs(found.total_j - energy_j) > OPEN_SHARE * abs(energy_j):
        raise UsageError(
            f"its functions, at rest and not seen are {found.total_j:.6g} J together, and its meters read "
            f"{energy_j:.6g} J: profile anew"
        )


def together(costs: FunctionCosts) -> pd.DataFrame:
    """Of each group of several functions, as `rows` has them: group, functions, joules, half_width_j, seconds."""
    grouped = costs.rows[costs.rows["group"] >= 0].groupby("group", sort=False)
    names, seconds = grouped["function"].agg(list), grouped["seconds"].sum()
    shares = costs.found.groups
    return pd.DataFrame(
        {
            "group": names.index,
            "functions": names.to_numpy(),
            "joules": shares.joules[names.index],
            "half_width_j": shares.half_widths_j[names.index],
            "seconds": seconds.to_numpy(),
        }
    )


def letters(groups: Sequence[int]) -> list[str]:
    """Of each group of `rows` one, in their order; nothing for a function by itself."""
    found: dict[int, str] = {-1: ""}
    for one in groups:
        found.setdefault(one, ascii_lowercase[(len(found) - 1) % len(ascii_lowercase)])
    return [found[one] for one in groups]


def _phases(run: Run) -> SeenPhases:
    return SeenPhases.of(PhaseWindow(one.name, one.begin_ns, one.end_ns) for one in phases(run.events))


def _of_phases(marked: SeenPhases, found: Attribution) -> pd.DataFrame:
    shares = {"joules": found.phases.joules, "half_width_j": found.phases.half_widths_j}
    return pd.DataFrame({"phase": marked.names, **shares})


def _in_phases(marked: SeenPhases, functions: SeenFunctions, found: Attribution) -> pd.DataFrame:
    """Those that were seen there."""
    frame = pd.DataFrame(
        {
            "phase": np.repeat(marked.names, len(functions.names)),
            "function": np.tile(functions.names, len(marked.names)),
            "joules": found.in_phases.joules.ravel(),
            "half_width_j": found.in_phases.half_widths_j.ravel(),
        }
    )
    return frame[frame["joules"] != 0].reset_index(drop=True)


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
