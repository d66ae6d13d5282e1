"""Table 4: whether runs that take longer also take more energy, by Spearman's rank correlation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import stats

from harness.studies.base import Cell
from harness.studies.icse22.runs import ENERGIES, FRAMEWORKS, MODELS

TABLE = "4"
TIME = "run_time_s"


def cells(runs: pd.DataFrame) -> Iterator[Cell]:
    for (stage, framework), inside in runs.groupby(["stage", "framework"]):
        where = f"{stage} {FRAMEWORKS.get(str(framework), framework)}"
        means = inside.groupby("model")[[*ENERGIES, TIME]].mean()
        for energy in ENERGIES:
            yield Cell(TABLE, where, f"{energy}, {len(means)} means", None, rho(means, energy), "")
            yield Cell(TABLE, where, f"{energy}, {len(inside)} runs", None, rho(inside, energy), "")
            for model, alone in inside.groupby("model"):
                row = f"{where} {MODELS.get(str(model), model)}"
                yield Cell(TABLE, row, f"{energy}, {len(alone)} runs", None, rho(alone, energy), "")


def rho(rows: pd.DataFrame, energy: str) -> float | None:
    """None where there is nothing to rank."""
    if len(rows) < 3 or rows[energy].nunique() < 2 or rows[TIME].nunique() < 2:
        return None
    return float(np.asarray(stats.spearmanr(rows[energy], rows[TIME]).statistic))
