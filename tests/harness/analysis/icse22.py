"""The adaptive rule on the published training runs of ICSE'22: cell by cell, against all ten repetitions.

`rows()` are the table of docs/statistics.md; `python -m tests.bench.adaptive_icse22` prints them. The raw files lie in
../shared/published/icse22 beside the checkout.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from harness.analysis.compare import Ratio, ratio_of
from harness.analysis.sequential import Look, every_block, follow
from harness.analysis.verdict import Floats
from harness.importers.formats import prengdl
from harness.studies.icse22.runs import ENERGIES, MODELS, runs_of
from tests.conftest import SHARED

FOLDER = SHARED / "published" / "icse22" / "measurements_train"
QUANTITIES = {"energy_j": "energy", "pkg_j": "package", "ram_j": "RAM", "gpu_j": "GPU", "run_time_s": "time"}
REPETITIONS = 10


class Cell(NamedTuple):
    """One model and quantity: PyTorch / TensorFlow, by all ten repetitions and by the adaptive rule."""

    model: str
    quantity: str
    fixed: Ratio
    look: Look
    differences: Floats

    @property
    def saved(self) -> float:
        return 1 - self.look.ratio.blocks / self.fixed.blocks


def read_runs() -> pd.DataFrame:
    """Of the training runs, as imported: model, framework, repetition and the QUANTITIES."""
    runs = runs_of(prengdl.read(FOLDER))
    return runs.assign(energy_j=runs[list(ENERGIES)].sum(axis=1, skipna=False))


@cache
def cells() -> tuple[Cell, ...]:
    """Every model and quantity; the repetitions are the blocks, in the order of the files."""
    runs, schedule = read_runs(), every_block(REPETITIONS)
    found = []
    for model in MODELS:
        for quantity in QUANTITIES:
            differences = _differences(runs[runs["model"] == model], quantity)
            look = follow(differences, schedule)
            found.append(Cell(model, quantity, ratio_of(differences), look, differences))
    return tuple(found)


def _differences(runs: pd.DataFrame, quantity: str) -> Floats:
    table = runs.pivot(index="repetition", columns="framework", values=quantity).sort_index()
    return np.log(table["torch"] / table["tensorflow"]).to_numpy()


def rows() -> list[str]:
    """Of the table, in Markdown: verdict, ratio after all ten, ratio when the rule stopped, and after how many."""
    table = []
    for model, title in MODELS.items():
        texts = [
            f"{cell.look.ratio.verdict} {cell.fixed.ratio:.2f}, {cell.look.ratio.ratio:.2f} after "
            f"{cell.look.ratio.blocks}"
            for cell in cells() if cell.model == model
        ]  # fmt: skip
        table.append(f"| {title} | {' | '.join(texts)} |")
    return table
