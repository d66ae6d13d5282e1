"""The adaptive rule on the published training runs of ICSE'22: cell by cell, against all ten repetitions.

`rows()` are the table of docs/statistics.md; `python -m tests.bench.adaptive_icse22` prints them. The raw files lie in
../shared/published/icse22 beside the checkout.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from harness.analysis.compare import Ratio, ratio_of
from harness.analysis.sequential import Look, every_block, follow
from harness.analysis.verdict import Floats
from tests.conftest import SHARED

FOLDER = SHARED / "published" / "icse22" / "measurements_train"
NAME = re.compile(r"(?P<model>.+)_(?P<framework>PyTorch|TensorFlow)_perf_(?P<repetition>\d+)\.txt")
MODELS = {
    "ncf": "NCF", "transformer_xl": "Transformer-XL", "gnmt": "GNMT", "resnet50": "ResNet-50",
    "mask_rcnn": "Mask R-CNN", "ssd": "SSD",
}  # fmt: skip
QUANTITIES = {
    "energy_j": "energy",
    "package_j": "package",
    "ram_j": "RAM",
    "gpu_j": "GPU",
    "duration_s": "time",
}
REPETITIONS = 10


class Cell(NamedTuple):
    """One model and quantity: PyTorch / TensorFlow, by all ten repetitions and by the adaptive rule."""

    model: str
    quantity: str
    fixed: Ratio
    look: Look

    @property
    def saved(self) -> float:
        return 1 - self.look.ratio.blocks / self.fixed.blocks


def read_runs(folder: Path = FOLDER) -> pd.DataFrame:
    """model, framework, repetition and the QUANTITIES of each run; GPU: watts once a second, summed."""
    rows = []
    for path in sorted(folder.glob("*_perf_*.txt")):
        named = NAME.fullmatch(path.name)
        assert named is not None, path.name
        perf = path.read_text()
        watts = re.findall(r"([\d.]+) W", path.with_name(path.name.replace("perf", "nvidia_smi")).read_text())
        rows.append({
            **named.groupdict(),
            "package_j": _number(perf, r"Joules power/energy-pkg/"),
            "ram_j": _number(perf, r"Joules power/energy-ram/"),
            "gpu_j": sum(map(float, watts)),
            "duration_s": _number(perf, r"seconds time elapsed"),
        })  # fmt: skip
    runs = pd.DataFrame(rows).astype({"repetition": int})
    return runs.assign(energy_j=runs["package_j"] + runs["ram_j"] + runs["gpu_j"])


def _number(text: str, what: str) -> float:
    found = re.search(rf"([\d,.]+)\s+{what}", text)
    assert found is not None, what
    return float(found[1].replace(",", ""))


@cache
def cells() -> tuple[Cell, ...]:
    """Every model and quantity; the repetitions are the blocks, in the order of the files."""
    runs, schedule = read_runs(), every_block(REPETITIONS)
    found = []
    for model in MODELS:
        for quantity in QUANTITIES:
            differences = _differences(runs[runs["model"] == model], quantity)
            found.append(Cell(model, quantity, ratio_of(differences), follow(differences, schedule)))
    return tuple(found)


def _differences(runs: pd.DataFrame, quantity: str) -> Floats:
    table = runs.pivot(index="repetition", columns="framework", values=quantity).sort_index()
    return np.log(table["PyTorch"] / table["TensorFlow"]).to_numpy()


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
