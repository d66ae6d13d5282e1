"""What stands behind the verdicts is on the page as the analysis has it, and nowhere without a comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from harness.analysis.cleaning import EXCLUDED_BY, RULES, clean
from harness.analysis.summary import analyse
from tests.campaigns import Recipe, build
from tests.reports.parts_of import page_of, section_of
from tests.reports.studies import Study, study

pytestmark = pytest.mark.unhurried
QUANTITIES = ("energy_j", "duration_s", "stage_energy_j", "stage_duration_s")
NUMBERS = ("blocks", "statistic", "p", "p_corrected", "smallest_p", "tost_p", "a12", "cliffs_delta", "shapiro_w",
           "shapiro_p", "signed_rank_p", "sign_flip_p", "lag1_differences", "lag1", "drift_rho", "drift_p")  # fmt: skip


def made(folder: Path, recipe: Recipe) -> Study:
    campaign = build(folder / "c", recipe)
    return analyse(campaign), campaign


def test_every_number_is_the_analysis(tmp_path: Path) -> None:
    frameworks = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.01}
    analysis, campaign = made(
        tmp_path, Recipe(frameworks=frameworks, blocks=6, noise=0.05, stages=("train", "infer"))
    )
    section = section_of("statistics", analysis, campaign)
    assert section is not None
    page, compared = page_of(section), 0
    for index, group in enumerate(analysis.groups, 1):
        rows = group.select(analysis.statistics)
        for row in rows[rows["quantity"].isin(QUANTITIES)].to_dict("records"):
            for name in NUMBERS:
                shown = page.value(f"statistics-{index}", f"{row['quantity']} {row['treatment']}", name)
                assert shown is None if pd.isna(row[name]) else shown == row[name], (row, name)
                compared += 1
    assert compared == 2 * 3 * len(QUANTITIES) * len(NUMBERS)


def test_a_study_told_with_scipys_own_paired_test(tmp_path: Path) -> None:
    """ICSE'22: GNMT in TensorFlow against PyTorch, ten repetitions."""
    analysis, campaign = study("icse22", tmp_path / "c")
    section = section_of("statistics", analysis, campaign)
    assert section is not None
    runs = (
        analysis.groups[0]
        .select(analysis.counted)
        .pivot(index="block", columns="treatment", values="energy_j")
    )
    found = stats.ttest_rel(np.log(runs["tensorflow unknown"]), np.log(runs["torch unknown"]))
    page = page_of(section)
    assert page.value("statistics-1", "energy_j tensorflow unknown", "statistic") == pytest.approx(
        found.statistic
    )
    assert page.value("statistics-1", "energy_j tensorflow unknown", "p") == pytest.approx(found.pvalue)
    cells = page.cells["statistics-1"]["energy_j tensorflow unknown"]
    assert "large" in cells["a12"].text and "against torch unknown" in cells["quantity"].text
    assert "derived, the reference" in page.cells["statistics-1"]["energy_j torch unknown"]["quantity"].text


@pytest.mark.parametrize("recipe", [Recipe(blocks=0), Recipe(frameworks={"torch": 1.0})])
def test_without_a_comparison_there_is_no_such_section(tmp_path: Path, recipe: Recipe) -> None:
    assert section_of("statistics", *made(tmp_path, recipe)) is None


def test_joules_of_several_provenances_are_not_tested(tmp_path: Path) -> None:
    section = section_of("statistics", *made(tmp_path, Recipe(meters={"tensorflow": "estimate"})))
    assert section is not None
    page = page_of(section)
    assert page.value("statistics-1", "energy_j tensorflow 2.21.0", "p") is None
    assert page.value("statistics-1", "duration_s tensorflow 2.21.0", "p") is not None
    assert "estimated and measured energy are never compared" in page.text


def test_all_treatments_are_ranked_and_cleaning_rules_say_what_they_would_mark(tmp_path: Path) -> None:
    frameworks = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.01}
    analysis, campaign = made(tmp_path, Recipe(frameworks=frameworks, blocks=12, noise=0.02))
    section = section_of("statistics", analysis, campaign)
    assert section is not None
    text = " ".join(page_of(section).text.split())
    assert text.count("Friedman over 12 blocks: p = ") == 2 and "(Nemenyi," in text
    runs = analysis.counted
    marked = sum(
        int((clean(runs, name, [rule], ["treatment"]).marked[EXCLUDED_BY] != "").sum())
        for name in ("energy_j", "duration_s")
        for rule in RULES
    )
    assert ("Published cleaning rules would mark" in text) == (marked > 0)
