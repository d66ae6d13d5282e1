"""An imported energy is as sure as its last digit, or nobody knows; never +- 0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness import importers, store
from harness.analysis.tables import tables
from harness.energy.series import COVERAGE
from tests.foreign import codecarbon, energibridge, perf, powers, prengdl


def energies(name: str, path: Path, out: Path) -> list[tuple[float, float, float]]:
    """Joules, their half-width and their step, of every run."""
    runs = tables(store.load_campaign(importers.import_campaign(name, path, out))).runs
    return list(
        runs[["energy_j", "energy_uncertainty_j", "energy_resolution_j"]].itertuples(index=False, name=None)
    )


@pytest.mark.parametrize(
    ("pkg", "ram", "steps_j"), [("1,000.00", "100.00", (0.01, 0.01)), ("1000", "100.5", (1.0, 0.1))]
)
def test_a_total_of_perf_is_as_sure_as_its_last_digits(
    tmp_path: Path, pkg: str, ram: str, steps_j: tuple[float, float]
) -> None:
    perf(tmp_path / "in" / "mnist_torch_1.txt", pkg, ram)
    ((energy_j, half_j, step_j),) = energies("perf-stat", tmp_path / "in", tmp_path / "out")
    assert energy_j == pytest.approx(1100, rel=0.01)
    assert half_j == pytest.approx(COVERAGE * (2 / 12) ** 0.5 * sum(steps_j))
    assert step_j == max(steps_j)


def test_a_total_whose_step_is_not_printed_is_of_unknown_uncertainty(tmp_path: Path) -> None:
    runs = [("torch_mnist", "a", 0.0017723816956802), ("torch_mnist", "b", 0.0018)]
    codecarbon(tmp_path / "in" / "emissions.csv", runs)
    for _, half_j, step_j in energies("codecarbon", tmp_path / "in", tmp_path / "out"):
        assert np.isnan(half_j)
        assert np.isnan(step_j)


def test_no_import_is_sure_to_0_joules(tmp_path: Path) -> None:
    energibridge(tmp_path / "energibridge" / "keras_1.csv", joules=(10.0, 30.0, 50.0))
    powers(tmp_path / "nvidia-smi" / "a_tensorflow_1.txt", [50.0] * 5)
    prengdl(tmp_path / "prengdl")
    for name in ("energibridge", "nvidia-smi", "prengdl"):
        for energy_j, half_j, step_j in energies(name, tmp_path / name, tmp_path / f"{name}-out"):
            assert energy_j > 0
            assert half_j != 0
            assert step_j != 0
