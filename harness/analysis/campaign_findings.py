"""What only all runs together show: drift, an idle machine that changed, work that was not equal; pure over frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from harness.analysis import equal_work, order
from harness.analysis.multiplicity import holm
from harness.analysis.replicates import SESSION
from harness.findings.codes import Code
from harness.records import Finding

GROUP = ["workload", "dataset", "stage", "device", "settings"]
ONE = [*GROUP, "framework", "version"]
MIN_BLOCKS = 6  # with fewer, no rank correlation can be significant after correction
SIGNIFICANT = 0.05  # over all treatments and both quantities, after Holm's correction
MAX_BASELINE_CHANGE = 0.05
MAX_CONTROL_SPREAD = 0.01  # rule R27
CONTROLS = {"control_energy_j": "energy", "control_duration_s": "time"}
PARTED = {  # how the reasons of each begin
    Code.COMPUTED_OTHERWISE: equal_work.WORDS,
    Code.UNTOLD_RESULTS: equal_work.UNTOLD,
}


def of_a_campaign(runs: pd.DataFrame, baselines: pd.DataFrame) -> Iterator[Finding]:
    """`runs`: those that count, RUN_COLUMNS; `baselines`: BASELINE_COLUMNS by block.

    Of a merged campaign each session by itself: that machines differ is no change of any.
    """
    yield from drift(runs)
    yield from baseline_moved(baselines)
    yield from control_unsteady(baselines)


class Drifting(NamedTuple):
    """`treatment` ("torch 2.13.0") of `work` (GROUP), in energy_j or duration_s; the message tells how."""

    work: tuple[str, ...]
    treatment: str
    quantity: str
    message: str


def drifting(runs: pd.DataFrame) -> list[Drifting]:
    """Values that rise or fall with the order of the blocks: Spearman's rank correlation (rule R23)."""
    tested: list[tuple[Drifting, float]] = []
    for key, group in runs.sort_values(["block", "position"]).groupby(ONE):
        *work, framework, version = map(str, key)
        for quantity, words in (("energy_j", "energy"), ("duration_s", "time")):
            known = group[quantity].dropna()
            if len(known) < MIN_BLOCKS:
                continue
            rho, p = order.drift(order.within_sessions(group.loc[known.index], quantity))
            if p is not None:
                name = f"{framework} {version}".strip()
                where = f"{words} of {name}, {work[0]} {work[2]}"
                message = f"{where}: rank correlation with the order {rho:+.2f}"
                tested.append((Drifting(tuple(work), name, quantity, message), p))
    corrected = holm(pd.Series([p for _, p in tested], dtype="float64")).sort_values()
    return [tested[place][0] for place in corrected[corrected < SIGNIFICANT].index]


def drift(runs: pd.DataFrame) -> Iterator[Finding]:
    for one in drifting(runs):
        yield Finding.of(Code.DRIFT, one.message)


def unsteady(baselines: pd.DataFrame) -> dict[str, float]:
    """Column -> relative spread of work that never changes, where it spreads by more than is allowed (rule R27).

    Of several sessions the largest.
    """
    found = {}
    for column in CONTROLS:
        spreads = [_spread(one[column].dropna()) for one in _sessions(baselines)]
        if (spread := max(spreads, default=0.0)) > MAX_CONTROL_SPREAD:
            found[column] = spread
    return found


def _spread(known: pd.Series) -> float:
    return float(known.std() / known.mean()) if len(known) > 1 else 0.0


def _sessions(baselines: pd.DataFrame) -> list[pd.DataFrame]:
    if SESSION not in baselines:
        return [baselines]
    return [one for _, one in baselines.groupby(SESSION)]


def control_unsteady(baselines: pd.DataFrame) -> Iterator[Finding]:
    """What spreads in the control work before each block spreads in every run."""
    for column, spread in unsteady(baselines).items():
        yield Finding.of(
            Code.CONTROL_UNSTEADY,
            f"the {CONTROLS[column]} of the same work spread by {spread:.1%} over "
            f"{baselines[column].count()} blocks",
        )


def baseline_moved(baselines: pd.DataFrame) -> Iterator[Finding]:
    """The idle machine of one block against another's (rule R25)."""
    for one in _sessions(baselines):
        idle_w = one["idle_power_w"].dropna()
        if len(idle_w) > 1 and idle_w.max() > idle_w.min() * (1 + MAX_BASELINE_CHANGE):
            yield Finding.of(
                Code.BASELINE_MOVED,
                f"the idle machine drew {idle_w.min():.4g} to {idle_w.max():.4g} W from block to block",
            )


def parted(runs: pd.DataFrame) -> Iterator[tuple[Code, pd.DataFrame]]:
    """Code -> the runs that computed something else than the others, and those of which nobody knows."""
    for code, words in PARTED.items():
        yield code, runs[runs["reason"].str.startswith(words)]


def computed_otherwise(runs: pd.DataFrame) -> Iterator[Finding]:
    """Runs that harness.analysis.equal_work has parted from the others: no ratio of theirs has a meaning."""
    for code, several in parted(runs):
        for key, group in several.groupby(["workload", "stage", "framework", "version"]):
            message = f"{key[2]} {key[3]}, {key[0]} {key[1]}: {group['reason'].iloc[0]}"
            yield Finding.of(code, message)
