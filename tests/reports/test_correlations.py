"""Correlations: SciPy's own numbers, every pair in the table and in the chart, never over joules of several kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy import stats

from harness.analysis.summary import analyse
from tests.campaigns import Recipe, build
from tests.reports.parts_of import numbers_in, page_of, panels_of, section_of
from tests.reports.studies import Study, study

pytestmark = pytest.mark.unhurried


def made(folder: Path, recipe: Recipe) -> Study:
    campaign = build(folder / "c", recipe)
    return analyse(campaign), campaign


def test_a_study_over_settings_has_scipys_numbers_over_all_its_runs(tmp_path: Path) -> None:
    analysis, campaign = study("sotillos23", tmp_path / "c")
    section = section_of("correlations", analysis, campaign)
    assert section is not None
    table, (panel,) = page_of(section).cells["correlations-1"], panels_of(section).values()
    assert len(table) == len(numbers_in(panel)[0]) == 6  # energy, time, power, quality
    for pair, row in table.items():
        one, other = pair.split(" ")
        found = stats.spearmanr(analysis.counted[one], analysis.counted[other])
        assert float(str(row["rho"].value)) == pytest.approx(found.statistic)
        assert float(str(row["p"].value)) == pytest.approx(found.pvalue)
        assert row["n"].value == "48" and float(str(row["p_holm"].value)) >= found.pvalue


def test_energies_of_several_provenances_are_in_no_pair(tmp_path: Path) -> None:
    section = section_of(
        "correlations", *made(tmp_path, Recipe(meters={"tensorflow": "estimate"}, noise=0.1))
    )
    assert section is not None
    page = page_of(section)
    assert not any("energy_j" in pair or "mean_power_w" in pair for pair in page.cells["correlations-1"])
    assert "Without energy and power: estimated and measured energy are never compared." in page.text


@pytest.mark.parametrize(
    "recipe", [Recipe(blocks=0), Recipe(blocks=2), Recipe(blocks=1, frameworks={"torch": 1.0})]
)
def test_with_few_runs_there_is_no_such_section(tmp_path: Path, recipe: Recipe) -> None:
    assert section_of("correlations", *made(tmp_path, recipe)) is None
