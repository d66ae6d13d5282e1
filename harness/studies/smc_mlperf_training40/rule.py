"""A run's energy by the benchmark's rule, and a submission's result of its runs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from harness.energy.series import NS_PER_S, gauge_integral
from harness.importers.base import Imported, ImportedRun, SourceError
from harness.importers.formats.mlperf_training import BEGIN_FACT, END_FACT

METERS = {"ac-power": "AC", "dc-power": "DC"}
RUN_COLUMNS = [
    "meter", "name", "time_s", "rule_j", "integral_j", "before_s", "after_s", "typical_step_s", "longest_step_s",
    "stop_mark_s", "scaling",
]  # fmt: skip


def runs_of(imported: Imported) -> pd.DataFrame:
    """RUN_COLUMNS, one row a run and meter; `stop_mark_s`: the log's stop mark after its start mark, if it has both."""
    return pd.DataFrame([_row(run) for run in imported.runs], columns=RUN_COLUMNS)


def _row(run: ImportedRun) -> dict[str, object]:
    (power,) = run.series
    marks = run.environment
    if BEGIN_FACT not in marks or "scaling_factor" not in marks:
        raise SourceError(
            run.sources[1], "the rule needs the log's start mark and the submission's scaling factor"
        )
    begin_ns = run.begin_ns or 0
    end_ns = begin_ns + run.duration_ns
    log_ns = np.concatenate(([marks[BEGIN_FACT]], power.t_ns))
    steps_s = np.diff(log_ns) / NS_PER_S
    mean_w = float((power.values * steps_s).sum() / steps_s.sum())
    integral = gauge_integral(power, begin_ns, end_ns)
    return {
        "meter": _meter(run),
        "name": run.sources[0].stem,
        "time_s": run.duration_ns / NS_PER_S,
        "rule_j": mean_w * run.duration_ns / NS_PER_S,
        "integral_j": None if integral is None else integral.value,
        "before_s": (begin_ns - int(log_ns[0])) / NS_PER_S,
        "after_s": (int(log_ns[-1]) - end_ns) / NS_PER_S,
        "typical_step_s": float(np.median(steps_s)),
        "longest_step_s": float(steps_s.max()),
        "stop_mark_s": (marks[END_FACT] - marks[BEGIN_FACT]) / NS_PER_S if END_FACT in marks else None,
        "scaling": marks["scaling_factor"],
    }


def _meter(run: ImportedRun) -> str:
    """By the submission's folder."""
    for part in run.sources[0].parts:
        for name, meter in METERS.items():
            if part.endswith(name):
                return meter
    raise SourceError(run.sources[0], f"lies in no folder *{' or *'.join(METERS)}")


def result(runs: pd.DataFrame, column: str) -> float | None:
    """The scaled mean of the runs between the fastest and the slowest; None of fewer than three."""
    kept = runs.sort_values("time_s").iloc[1:-1]
    return float((kept[column] * kept["scaling"]).mean()) if len(kept) else None
