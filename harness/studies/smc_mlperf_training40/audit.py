"""What the power logs say that the two results do not."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import scipy

from harness.importers.base import Imported
from harness.importers.files.power_log import ASKED_S, LATE
from harness.studies.base import Remark
from harness.studies.smc_mlperf_training40.rule import result


def audit(imported: Imported, runs: pd.DataFrame) -> Iterator[Remark]:
    yield from _sampling(runs)
    yield from _wider_than_the_run(runs)
    yield from _stop_marks(runs)
    yield from _two_meters(runs)
    yield from _left_out(runs)


def _sampling(runs: pd.DataFrame) -> Iterator[Remark]:
    slow = runs[runs["longest_step_s"] > LATE * ASKED_S]
    if len(slow):
        gaps = runs[runs["longest_step_s"] > 2 * runs["typical_step_s"]]
        yield Remark(
            "sampling-slower-than-asked",
            f"a reading every {runs['typical_step_s'].median():.2f} s where the rule asks for {ASKED_S:g} s; "
            f"{len(gaps)} of {len(runs)} logs have gaps of over two steps, the longest "
            f"{runs['longest_step_s'].max():.1f} s",
        )


def _wider_than_the_run(runs: pd.DataFrame) -> Iterator[Remark]:
    """The rule takes the log's mean power for the run's: what lies before and after is quieter."""
    wider = runs[(runs["before_s"] > 0) & (runs["after_s"] > 0)]
    if len(wider):
        share = wider["rule_j"] / wider["integral_j"] - 1
        yield Remark(
            "log-wider-than-run",
            f"{len(wider)} of {len(runs)} logs begin {_span(wider['before_s'])} s before the timed run and end "
            f"{_span(wider['after_s'])} s after it; the rule takes the whole log's mean power for the run's, which "
            f"differs from the integral over the run by {share.min():+.1%} to {share.max():+.1%}",
        )


def _span(values: pd.Series) -> str:
    return f"{values.min():.0f} to {values.max():.0f}"


def _stop_marks(runs: pd.DataFrame) -> Iterator[Remark]:
    same = int((runs["stop_mark_s"] == 0).sum())
    if same:
        yield Remark(
            "stop-mark-has-start-time",
            f"in {same} of {len(runs)} logs the stop mark carries the time of the start mark: their end is taken to be "
            "the last reading",
        )


def _two_meters(runs: pd.DataFrame) -> Iterator[Remark]:
    """The same runs by two meters: a comparison of the meters, run by run."""
    both = runs.pivot(index="name", columns="meter", values="rule_j")
    if {"AC", "DC"} <= set(both.columns) and len(both.dropna()) > 1:
        ratios = (both["DC"] / both["AC"]).dropna()
        half = float(scipy.stats.t.ppf(0.975, len(ratios) - 1) * ratios.sem())
        ac, dc = (result(runs[runs["meter"] == meter], "rule_j") for meter in ("AC", "DC"))
        of_results = f"; of the two results {dc / ac:.4f}" if ac and dc else ""
        yield Remark(
            "two-meters",
            f"DC against AC of the same {len(ratios)} runs: {ratios.mean():.4f} +- {half:.4f} (95 %), from "
            f"{ratios.min():.4f} to {ratios.max():.4f}{of_results}. What the power supplies lose is a difference "
            "of the meters' places, not of systems: results by AC and by DC are not comparable with each other",
        )


def _left_out(runs: pd.DataFrame) -> Iterator[Remark]:
    """Runs are dropped by their time, not by their energy; both ends of ten."""
    for meter, of_one in runs.groupby("meter"):
        if len(of_one) > 2:
            published, measured = result(of_one, "rule_j") or 0.0, float(of_one["rule_j"].mean())
            yield Remark(
                "runs-left-out",
                f"{meter}: the fastest and the slowest of {len(of_one)} runs are left out, and the mean of the rest is "
                f"multiplied by {of_one['scaling'].iloc[0]:.4f}; the mean of all runs, unscaled, is {measured:.0f} J "
                f"({measured / published - 1:+.1%})",
            )
