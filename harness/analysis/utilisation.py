"""Model FLOP/s utilisation: what a stage's products took of the peak that the plan states; nobody guesses a peak."""

from __future__ import annotations

import pandas as pd

from harness.analysis.ratios import per
from harness.records import PlanRecord, Treatment
from suite.neural import PRECISIONS

PEAK, WORKED = "peak_flops_per_s", "worked_s"  # columns of runs where a plan states any
UTILISED = [PEAK, WORKED]
USUAL = PRECISIONS[0]


def peak_of(plan: PlanRecord, treatment: Treatment) -> float | None:
    """Of the device, in the precision of the treatment's products; None where the plan states none."""
    precision = treatment.settings.get("precision", USUAL)
    return plan.peak_flops_per_s.get(f"{treatment.device}-{precision}")


def utilisation(runs: pd.DataFrame) -> pd.Series:
    """A share of the time at work, compiling left out; operations are the model's: none that is computed again."""
    return per(runs["flops_per_step"] * runs["steps"], runs[WORKED] * runs[PEAK])
