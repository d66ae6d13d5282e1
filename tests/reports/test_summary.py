"""The summary of the runs: as NumPy and SciPy have it, with units, and nothing for joules that must not meet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from harness.analysis.summary import analyse
from tests.campaigns import Recipe, build
from tests.reports.parts_of import page_of, section_of
from tests.reports.scrape import Page

KEYS = ("energy_j", "duration_s", "mean_power_w", "stage_energy_j", "stage_duration_s", "cpu_s", "memory_peak_bytes",
        "quality")  # fmt: skip


def summary(folder: Path, recipe: Recipe) -> tuple[Page, dict[tuple[str, str], np.ndarray]]:
    campaign = build(folder / "c", recipe)
    analysis = analyse(campaign)
    section = section_of("summary", analysis, campaign)
    assert section is not None
    groups = analysis.counted.groupby("treatment")
    return page_of(section), {(key, str(name)): rows[key].to_numpy() for name, rows in groups for key in KEYS}


def test_every_number_is_that_of_the_runs(tmp_path: Path) -> None:
    page, values = summary(tmp_path, Recipe(blocks=4, noise=0.1))
    table = page.cells["summary-1"]
    assert set(table) == {f"{key} {name}" for key, name in values}
    for (key, name), known in values.items():
        expected = {"n": 4, "mean": known.mean(), "median": np.median(known), "variance": known.var(ddof=1),
                    "sd": known.std(ddof=1), "min": known.min(), "max": known.max()}  # fmt: skip
        if np.ptp(known) > 0:
            expected["shapiro_w"], expected["shapiro_p"] = stats.shapiro(known)
        for column, number in expected.items():
            assert page.value("summary-1", f"{key} {name}", column) == pytest.approx(number, rel=1e-12), (
                key,
                column,
            )


def test_cells_carry_their_unit_and_variances_its_square(tmp_path: Path) -> None:
    page, _ = summary(tmp_path, Recipe(blocks=3, noise=0.1))
    row = page.cells["summary-1"]["duration_s torch 2.13.0"]
    assert row["sd"].text.strip().endswith("\u202fs") and row["variance"].text.strip().endswith("\u202fs²")
    assert "measured" in page.cells["summary-1"]["energy_j torch 2.13.0"]["quantity"].text


def test_one_run_has_no_spread_and_no_test(tmp_path: Path) -> None:
    page, _ = summary(tmp_path, Recipe(blocks=1, frameworks={"torch": 1.0}))
    row = page.cells["summary-1"]["energy_j torch 2.13.0"]
    assert row["mean"].value is not None
    assert [row[key].value for key in ("sd", "variance", "shapiro_w")] == [None] * 3
    assert "one run has no spread" in page.text


def test_a_quantity_that_no_run_has_is_left_out(tmp_path: Path) -> None:
    page, _ = summary(tmp_path, Recipe(meter=None, with_quality=False))
    known = {key.split()[0] for key in page.cells["summary-1"]}
    assert known == {"duration_s", "stage_duration_s", "cpu_s", "memory_peak_bytes"}
