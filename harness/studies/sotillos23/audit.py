"""What the raw files of Sotillos 2023 say that the text does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from harness.energy.series import NS_PER_S
from harness.importers.base import Imported
from harness.studies.base import NOT_AT_HAND, PrintedCell, Remark, compared, disagreeing
from harness.studies.sotillos23.method import KEY

GAP = 2.0  # times the log's usual step
SHOWN = 3
RESOLUTION_S = 1.0  # of the epochs' time stamps


def audit(
    imported: Imported, epochs: pd.DataFrame, theirs: pd.DataFrame, cells: Sequence[PrintedCell]
) -> Iterator[Remark]:
    yield from _cells_that_differ(cells)
    yield from _methods(epochs, theirs)
    yield from _first_epochs(epochs)
    yield from _stamps(epochs)
    yield from _two_runs(epochs)
    yield from _order(imported)
    yield from _gaps(imported)
    yield from _memory(epochs)


def _cells_that_differ(cells: Sequence[PrintedCell]) -> Iterator[Remark]:
    different = disagreeing(cells)
    for one in different[:SHOWN]:
        yield Remark(
            "cell-differs",
            f"{one.row}, {one.column}: printed {one.printed}, the files give {one.ours}",
        )
    more = f"; {len(different) - SHOWN} more are not listed" if len(different) > SHOWN else ""
    if all(one.match == NOT_AT_HAND for one in cells):
        yield Remark("nothing-published", "no per-epoch values of the authors lie beside these files")
    else:
        yield Remark("cells", f"{compared(cells)}{more}")


def _methods(epochs: pd.DataFrame, theirs: pd.DataFrame) -> Iterator[Remark]:
    ours = epochs.groupby([*KEY, "epoch_number"])["integral_j"].mean().reset_index()
    both = theirs.merge(ours, on=[*KEY, "epoch_number"])
    per_epoch = both["energy"] / both["integral_j"] - 1
    totals = both.groupby(KEY)[["energy", "integral_j"]].sum()
    per_run = totals["energy"] / totals["integral_j"] - 1
    yield Remark(
        "method-differs",
        f"mean power x duration differs from the integral of the power by {per_epoch.min():+.1%} to "
        f"{per_epoch.max():+.1%} in an epoch and by {per_run.min():+.2%} to {per_run.max():+.2%} in a training: "
        f"readings are a second apart, an epoch of {both['total_time'].min():.0f} s holds few of them, and those at "
        "its borders count whole",
    )


def _first_epochs(epochs: pd.DataFrame) -> Iterator[Remark]:
    """The first epoch begins with the log: it holds the start of Python, the imports, the data and the model."""
    later = epochs[epochs["epoch_number"] > 1].groupby([*KEY, "run"])["total_time"].median()
    first = epochs[epochs["epoch_number"] == 1].set_index([*KEY, "run"])["total_time"]
    extra = (first - later).groupby("framework").median()
    share = (first / epochs.groupby([*KEY, "run"])["total_time"].sum()).groupby("framework").median()
    named = "; ".join(
        f"{name}: {extra[name]:.0f} s longer, {share[name]:.0%} of a training" for name in extra.index
    )
    yield Remark(
        "first-epoch-holds-start-up",
        f"the first epoch is longer than a later one in the median ({named}): what one framework's start costs more is "
        "counted as its training",
    )


def _stamps(epochs: pd.DataFrame) -> Iterator[Remark]:
    later = epochs[epochs["epoch_number"] > 1]["total_time"]
    if len(later):
        yield Remark(
            "coarse-time-stamps",
            f"epochs end at whole seconds: up to {RESOLUTION_S / later.min():.0%} of the shortest epoch "
            f"({later.min():.0f} s)",
        )


def _two_runs(epochs: pd.DataFrame) -> Iterator[Remark]:
    runs = epochs.groupby([*KEY, "run"])[["total_time", "integral_j"]].sum()
    spread = runs.groupby(KEY).agg(["min", "max", "count"])
    apart = spread["integral_j"]["max"] / spread["integral_j"]["min"] - 1
    worst = apart.idxmax()
    assert isinstance(worst, tuple)
    yield Remark(
        "few-runs",
        f"{int(spread['integral_j']['count'].max())} runs each: no test of theirs could be significant at 5 %. They "
        f"differ in energy by {apart.median():.1%} in the median and by up to {apart.max():.1%} "
        f"({' '.join(map(str, worst))})",
    )


def _order(imported: Imported) -> Iterator[Remark]:
    """In which order the frameworks ran, by the logs' own clock."""
    order = [run.treatment.framework for run in imported.runs]
    changes = sum(before != after for before, after in pairwise(order))
    if len(set(order)) > 1:
        yield Remark(
            "order",
            f"all {order.count(order[0])} runs of {order[0]} came before the first of {order[-1]}"
            if changes == 1
            else f"the framework changed {changes} times between {len(order)} runs",
        )
    starts = [run.started for run in imported.runs]
    yield Remark("when", f"the first log begins at {min(starts)}, the last at {max(starts)}")


def _gaps(imported: Imported) -> Iterator[Remark]:
    steps_s = {run.sources[0].name: np.diff(run.series[0].t_ns) / NS_PER_S for run in imported.runs}
    usual_s = float(np.median(np.concatenate(list(steps_s.values()))))
    gaps = {name: float(steps.max()) for name, steps in steps_s.items() if steps.max() > GAP * usual_s}
    worst = (
        f", the longest {max(gaps.values()):.1f} s in {max(gaps, key=lambda name: gaps[name])}"
        if gaps
        else ""
    )
    yield Remark(
        "readings-missing", f"{len(gaps)} of {len(steps_s)} logs have a gap of over {GAP:g} steps{worst}"
    )


def _memory(epochs: pd.DataFrame) -> Iterator[Remark]:
    used = epochs.groupby("framework")["mem_used"].median()
    if "tensorflow" in used and len(used) > 1:
        others = used.drop("tensorflow")
        yield Remark(
            "memory-preallocated",
            f"TensorFlow holds {used['tensorflow']:.0f} MiB in the median, {others.index[0]} {others.iloc[0]:.0f} MiB: "
            "TensorFlow reserves the GPU's memory, so this is no measure of what it needs",
        )
