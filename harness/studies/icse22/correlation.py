"""Table 4: whether what takes longer also takes more energy, by Spearman's rank correlation.

The text does not say of what: of the six models' means, as printed or from the files; of all sixty runs; or of the ten
runs of each model. Each is computed; the printed value stands beside that of the printed means, which gives the most.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import scipy

from harness.studies.base import PrintedCell, Remark, printed, printed_numbers
from harness.studies.icse22.runs import ENERGIES, FRAMEWORKS, MODELS
from harness.studies.matching import Printed

TABLE = "4"
TIME = "run_time_s"
OF_PRINTED, OF_MEANS, OF_RUNS = "printed means", "means", "runs"


def cells(runs: pd.DataFrame) -> Iterator[PrintedCell]:
    known = _printed()
    for (stage, framework), inside in runs.groupby(["stage", "framework"]):
        where = f"{stage} {FRAMEWORKS.get(str(framework), framework)}"
        for energy in ENERGIES:
            published = known.get((str(stage), str(framework), energy))
            for number, of, found in _definitions(inside, energy):
                same = of == OF_PRINTED
                yield PrintedCell(
                    TABLE, where, f"{energy}, {number} {of}", published, found, "", compared=same
                )
            for model, alone in inside.groupby("model"):
                row = f"{where} {MODELS.get(str(model), model)}"
                yield PrintedCell(TABLE, row, f"{energy}, {len(alone)} runs", None, rho(alone, energy), "")


def _printed() -> dict[tuple[str, str, str], Printed]:
    rows = printed("icse22_correlation.csv").to_numpy()
    return {(stage, framework, energy): Printed.of(text) for stage, framework, energy, text in rows}


def _definitions(inside: pd.DataFrame, energy: str) -> Iterator[tuple[int, str, float | None]]:
    """Of the runs of one framework in one stage: how many values, of what, and their correlation."""
    means = inside.groupby("model")[[*ENERGIES, TIME]].mean()
    given = _printed_means(str(inside["stage"].iloc[0]), str(inside["framework"].iloc[0]))
    if len(given):
        yield len(given), OF_PRINTED, rho(given, energy)
    yield len(means), OF_MEANS, rho(means, energy)
    yield len(inside), OF_RUNS, rho(inside, energy)


def _printed_means(stage: str, framework: str) -> pd.DataFrame:
    rows = printed_numbers("icse22_means.csv")
    one = rows[(rows["stage"] == stage) & (rows["framework"] == framework)]
    return one.pivot(index="model", columns="quantity", values="published")


def which_values(runs: pd.DataFrame) -> Iterator[Remark]:
    """How many of the printed coefficients each reading of the text gives."""
    known = _printed()
    judged: dict[str, list[bool]] = {OF_PRINTED: [], OF_MEANS: [], OF_RUNS: []}
    for (stage, framework), inside in runs.groupby(["stage", "framework"]):
        for energy in ENERGIES:
            if published := known.get((str(stage), str(framework), energy)):
                for _, of, found in _definitions(inside, energy):
                    judged[of].append(bool(PrintedCell("", "", "", published, found, "").rule))
    if judged[OF_PRINTED]:
        counts = ", ".join(f"{sum(found)} from the {of}" for of, found in judged.items())
        yield Remark(
            "correlation-of-printed-means",
            f"of {len(judged[OF_PRINTED])} printed coefficients, {counts}: six values or sixty, and the text does not "
            "say which; of six, less than 0.886 is not significant at 5 %",
        )


def rho(rows: pd.DataFrame, energy: str) -> float | None:
    """None where there is nothing to rank."""
    if len(rows) < 3 or rows[energy].nunique() < 2 or rows[TIME].nunique() < 2:
        return None
    return float(np.asarray(scipy.stats.spearmanr(rows[energy], rows[TIME]).statistic))
