"""What the raw files of ICSE 2022 say that the text does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
import scipy

from harness.analysis.multiplicity import holm
from harness.importers.base import Imported
from harness.studies.base import PrintedCell, Remark
from harness.studies.icse22 import correlation
from harness.studies.icse22.api_costs import named_otherwise
from harness.studies.icse22.differences import differences
from harness.studies.icse22.means import LEVEL
from harness.studies.icse22.rank_sum import comparisons, of_other_runs, which_test
from harness.studies.icse22.runs import ENERGIES, QUANTITIES

SIGNED_RANK_P = 2 / 2**10  # of ten pairs, the most extreme there is
COLD = 0.05  # the first run off the median of the later ones, in energy or time
HOT = 2.0  # times the GPU's power before the first run
ONE = ["stage", "model", "framework"]


def audit(imported: Imported, runs: pd.DataFrame, cells: Sequence[PrintedCell]) -> Iterator[Remark]:
    yield from differences(runs, cells)
    yield from named_otherwise(imported)
    if len(runs):
        yield from _named_test(runs)
        yield from which_test(runs)
        yield from of_other_runs(runs)
        yield from correlation.which_values(runs)
        yield from _correlations(runs)
        yield from _first_runs(runs)
        yield from _drift(runs)
        yield from _still_hot(runs)
        yield from _missing_readings(runs)
        yield from _order()


def _named_test(runs: pd.DataFrame) -> Iterator[Remark]:
    found = comparisons(runs).dropna(subset=["p"])
    below = int((found["p"] < SIGNED_RANK_P).sum())
    yield Remark(
        "test-cannot-give-p",
        f"a signed-rank test of ten pairs, which the text names, cannot go below p = {SIGNED_RANK_P:.4f}; a rank-sum "
        f"test of ten against ten does in {below} of {len(found)} comparisons",
    )
    survive = int((holm(found["p"]) < LEVEL).sum())
    yield Remark(
        "multiple-comparisons",
        f"{int((found['p'] < LEVEL).sum())} of {len(found)} comparisons have p < {LEVEL}; {survive} after Holm's "
        "correction",
    )
    training = found[found["stage"] == "train"]
    if len(training):
        dearer = training[training["a12"] < 0.5]["model"].unique()
        yield Remark(
            "direction",
            f"in training, TensorFlow costs less in {int((training['a12'] > 0.5).sum())} of {len(training)} "
            f"comparisons; PyTorch does with {' and '.join(dearer) or 'none'}",
        )


def _correlations(runs: pd.DataFrame) -> Iterator[Remark]:
    """How far the coefficients lie apart between the definitions that the text leaves open."""
    for stage, inside in runs.groupby("stage"):
        rows = [
            [correlation.rho(alone, energy) for _, alone in inside.groupby(["model", "framework"])]
            for energy in ENERGIES
        ]
        known = [rho for row in rows for rho in row if rho is not None]
        over_all = [
            correlation.rho(one, energy) for _, one in inside.groupby("framework") for energy in ENERGIES
        ]
        whole = [rho for rho in over_all if rho is not None]
        if known and whole:
            yield Remark(
                "correlation-undefined",
                f"{stage}: over all runs of a framework, energy and time correlate with {min(whole):+.2f} to "
                f"{max(whole):+.2f}; over the ten runs of one model with {min(known):+.2f} to {max(known):+.2f}. "
                "The text does not say of which values its Table 4 is",
            )


def _first_runs(runs: pd.DataFrame) -> Iterator[Remark]:
    """A first run that differs from the later ones was cold, and was averaged with them."""
    for key, group in runs.groupby(ONE):
        first, later = group[group["repetition"] == 1], group[group["repetition"] > 1]
        if first.empty or later.empty:
            continue
        off = first[[*QUANTITIES]].iloc[0] / later[[*QUANTITIES]].median() - 1
        if abs(off["run_time_s"]) > COLD or abs(off["pkg_j"]) > COLD:
            times = ", ".join(f"{value:.0f}" for value in group.sort_values("repetition")["run_time_s"])
            yield Remark(
                "first-run-differs",
                f"{' '.join(map(str, key))}: the first run is off the later ones' median by {off['run_time_s']:+.0%} "
                f"in time and {off['pkg_j']:+.0%} in package energy ({times} s); all ten were averaged",
            )


def _drift(runs: pd.DataFrame) -> Iterator[Remark]:
    """Values that rise or fall with the repetition, among all that were tested."""
    rows = []
    for key, group in runs.groupby(ONE):
        for quantity in QUANTITIES:
            if group[quantity].nunique() > 2:
                found = scipy.stats.spearmanr(group["repetition"], group[quantity])
                rows.append((" ".join(map(str, key)), quantity, float(found.statistic), float(found.pvalue)))
    table = pd.DataFrame(rows, columns=["where", "quantity", "rho", "p"])
    drifting = table[holm(table["p"]) < LEVEL] if len(table) else table
    if len(drifting):
        named = "; ".join(f"{row.where} {row.quantity} {row.rho:+.2f}" for row in drifting.itertuples())
        yield Remark(
            "drift",
            f"{len(drifting)} of {len(table)} series follow the order of their runs (rank correlation, after Holm): "
            f"{named}",
        )


def _still_hot(runs: pd.DataFrame) -> Iterator[Remark]:
    later = hot = 0
    for _, group in runs.groupby(ONE):
        first = group[group["repetition"] == 1]["first_gpu_w"]
        rest = group[group["repetition"] > 1]["first_gpu_w"]
        if len(first):
            later, hot = later + len(rest), hot + int((rest > HOT * first.iloc[0]).sum())
    yield Remark(
        "not-at-rest",
        f"{hot} of {later} later runs began above {HOT:g} times the GPU power before their first run: 60 s of sleep "
        "did not bring the GPU back to rest",
    )


def _missing_readings(runs: pd.DataFrame) -> Iterator[Remark]:
    """The sum of the readings x 1 s takes each for a second; they were a little more than a second apart."""
    share = 1 - runs["readings"] / runs["run_time_s"]
    worst = runs.iloc[int(share.to_numpy().argmax())]
    medians = ", ".join(
        f"{stage} {value:.1%}" for stage, value in share.groupby(runs["stage"]).median().items()
    )
    yield Remark(
        "readings-missing",
        f"the GPU's readings are fewer than the seconds: by {medians} in the median, at most by {share.max():.1%} "
        f"({worst['stage']} {worst['model']} {worst['framework']} {worst['repetition']}: {worst['readings']} readings "
        f"in {worst['run_time_s']:.0f} s). The printed GPU energies are too low by about as much",
    )


def _order() -> Iterator[Remark]:
    yield Remark(
        "order",
        "the artifact's script carries out all runs of PyTorch, then all of TensorFlow, model by model: a machine that "
        "warms up or slows down meanwhile is counted as a difference of the frameworks",
    )
