"""What the raw files and the printed numbers of Schep 2025 say that the text does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import pandas as pd
import scipy

from harness.analysis.effects import a12
from harness.analysis.multiplicity import holm
from harness.energy.series import Floats
from harness.importers.base import Imported
from harness.records import Outcome
from harness.studies.base import Remark, printed_numbers
from harness.studies.schep25.method import FRAMEWORKS, METRICS, PAIRS, Cleaned, outside
from harness.studies.schep25.simulate import RUNS
from harness.studies.schep25.tables import PRINTED_PERCENT

ITERATIONS = 30  # as the text says
LEVEL = 0.05


def audit(
    imported: Imported, runs: pd.DataFrame, cleaned: Mapping[str, Cleaned], simulated: bool
) -> Iterator[Remark]:
    yield from _numbers_of_runs()
    yield from _arithmetic()
    yield from _chosen_tests()
    yield from _separated(cleaned)
    if not simulated:
        yield from _files(runs)
        yield from _left_out(runs)
        yield from _wraps(imported)
        yield from _drift(runs)
        yield from _order(runs)


def _numbers_of_runs() -> Iterator[Remark]:
    """What the printed p-values say of the numbers: a rank-sum test of groups that never overlap depends on n alone."""
    table = printed_numbers("schep25_comparisons.csv").set_index(["first", "second", "metric", "statistic"])[
        "published"
    ]
    told = float(table["keras", "jax", "time_s", "p"])
    fits = separated_p(RUNS["keras"], RUNS["jax"])
    text = separated_p(ITERATIONS, ITERATIONS)
    yield Remark(
        "runs-differ-from-text",
        f"the text says {ITERATIONS} iterations; the printed p of time, Keras and JAX ({told:.4g}), is that of "
        f"{RUNS['keras']} against {RUNS['jax']} runs that never overlap ({fits:.4g}); {ITERATIONS} against "
        f"{ITERATIONS} would give {text:.4g}",
    )


def separated_p(first: int, second: int) -> float:
    """The rank-sum test's p of two groups without any overlap."""
    low: Floats = np.arange(first, dtype=np.float64)
    return float(scipy.stats.mannwhitneyu(low, low.max() + 1 + np.arange(second)).pvalue)


def _arithmetic() -> Iterator[Remark]:
    """Whether the printed changes follow from the printed medians."""
    medians = printed_numbers("schep25_summary.csv").set_index(["statistic", "framework", "metric"])[
        "published"
    ]["median"]
    rows = printed_numbers("schep25_comparisons.csv")
    changes = rows[rows["statistic"] == "change_percent"]
    ours = [
        100 * (medians[second, metric] / medians[first, metric] - 1)
        for first, second, metric in changes[["first", "second", "metric"]].to_numpy()
    ]
    follow = int((np.abs(np.array(ours) - changes["published"]) <= PRINTED_PERCENT).sum())
    yield Remark("arithmetic", f"{follow} of {len(ours)} printed changes follow from the printed medians")


def _chosen_tests() -> Iterator[Remark]:
    rows = printed_numbers("schep25_comparisons.csv")
    used = rows[rows["statistic"] == "p"]["test"].value_counts()
    yield Remark(
        "test-chosen-by-test",
        f"a normality test chose the test ({', '.join(f'{name} {count}' for name, count in used.items())}): such a "
        "pair of tests does not hold its own error, and 12 p-values were not corrected for their number",
    )


def _separated(cleaned: Mapping[str, Cleaned]) -> Iterator[Remark]:
    """Where no run of one costs as much as any of the other, a p-value says nothing that n does not."""
    apart = [
        f"{first}-{second} {metric}"
        for first, second in PAIRS
        for metric in METRICS
        if a12(cleaned[first][metric], cleaned[second][metric]) in (0.0, 1.0)
    ]
    yield Remark(
        "groups-never-overlap",
        f"{len(apart)} of 12 comparisons are of groups that never overlap: {', '.join(apart)}",
    )


def _files(runs: pd.DataFrame) -> Iterator[Remark]:
    found = runs["framework"].value_counts()
    yield Remark("runs", "files: " + ", ".join(f"{name} {found[name]}" for name in FRAMEWORKS))


def _left_out(runs: pd.DataFrame) -> Iterator[Remark]:
    """The 3 sigma rule works on each quantity by itself: a run left out of one is still in another."""
    for framework, group in runs.groupby("framework"):
        marks = {name: outside(np.asarray(group[name], dtype=np.float64)) for name in METRICS}
        files = {name: list(group["file"][mark]) for name, mark in marks.items() if mark.any()}
        if files:
            named = "; ".join(f"{', '.join(some)} from {name}" for name, some in files.items())
            means = group["energy_j"].mean() / group["energy_j"][~marks["energy_j"]].mean() - 1
            yield Remark(
                "outliers-removed",
                f"{framework}: {named}; with every run, the mean energy is {means:+.2%}",
            )


def _wraps(imported: Imported) -> Iterator[Remark]:
    wrapped = [run.sources[0].name for run in imported.runs if run.outcome is Outcome.INVALID]
    if wrapped:
        yield Remark(
            "counter-wrapped", f"the energy counter wrapped in {len(wrapped)} runs: {', '.join(wrapped)}"
        )


def _drift(runs: pd.DataFrame) -> Iterator[Remark]:
    rows = []
    for framework, group in runs.sort_values("begin_ns").groupby("framework"):
        for metric in ("time_s", "energy_j", "power_w"):
            if group[metric].nunique() > 2:
                found = scipy.stats.spearmanr(np.arange(len(group)), group[metric])
                rows.append((framework, metric, float(found.statistic), float(found.pvalue)))
    table = pd.DataFrame(rows, columns=["framework", "metric", "rho", "p"])
    drifting = table[holm(table["p"]) < LEVEL]
    named = "; ".join(f"{row.framework} {row.metric} {row.rho:+.2f}" for row in drifting.itertuples())
    yield Remark(
        "drift",
        f"{len(drifting)} of {len(table)} series follow the order of the runs{': ' if named else ''}{named}",
    )


def _order(runs: pd.DataFrame) -> Iterator[Remark]:
    """Whether the frameworks really took turns, by the files' own clock."""
    order = list(runs.sort_values("begin_ns")["framework"])
    spans = {
        str(name): (pd.Timestamp(int(one["begin_ns"].min())), pd.Timestamp(int(one["begin_ns"].max())))
        for name, one in runs.groupby("framework")
    }
    changes = sum(before != after for before, after in pairwise(order))
    told = "; ".join(
        f"{name} {begin:%d %b %H:%M} to {end:%d %b %H:%M}" for name, (begin, end) in spans.items()
    )
    yield Remark("order", f"the framework changed {changes} times between {len(order)} runs ({told}, UTC)")
