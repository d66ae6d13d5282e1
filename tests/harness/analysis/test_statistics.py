"""What stands behind the verdicts of a campaign, recomputed from its runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from harness.analysis.compare import p_value, reach
from harness.analysis.quantities import QUANTITIES
from harness.analysis.statistics import LOOKED_AT, STATISTICS_COLUMNS, statistics
from harness.analysis.summary import Analysis, analyse
from harness.records import Outcome
from tests.campaigns import Recipe, build

FACTORS = {"torch": 1.0, "tensorflow": 1.05, "keras": 1.01}
JUDGED = [one.name for one in QUANTITIES if one.judged]


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    recipe = Recipe(frameworks=FACTORS, blocks=7, noise=0.03, outcomes={("keras", 2): Outcome.FAILED})
    return analyse(build(tmp_path_factory.mktemp("statistics") / "c", recipe), "torch")


def row_of(analysis: Analysis, framework: str, quantity: str = "energy_j") -> pd.Series:
    table = analysis.statistics
    return table[table["treatment"].str.startswith(framework) & (table["quantity"] == quantity)].iloc[0]


def values(analysis: Analysis, framework: str) -> pd.Series:
    runs = analysis.counted
    return runs[runs["framework"] == framework].set_index("block")["energy_j"].sort_index()


def test_there_is_a_row_for_every_treatment_and_judged_quantity(analysis: Analysis) -> None:
    table = analysis.statistics
    assert list(table.columns) == STATISTICS_COLUMNS
    assert len(table) == 3 * len(JUDGED) and set(table["quantity"]) == set(JUDGED)


@pytest.mark.parametrize(("framework", "blocks"), [("tensorflow", 7), ("keras", 6)])
def test_tests_and_effect_sizes_are_those_of_the_runs(
    analysis: Analysis, framework: str, blocks: int
) -> None:
    row, mine, other = row_of(analysis, framework), values(analysis, framework), values(analysis, "torch")
    expected = stats.ttest_rel(np.log(mine), np.log(other[mine.index]))
    assert (row["test"], row["blocks"]) == ("paired-log-t", blocks)
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert (
        row["p"] == pytest.approx(expected.pvalue, rel=0.01) and row["p"] >= expected.pvalue
    )  # measuring adds
    normal = stats.shapiro(np.log(mine / other[mine.index]))
    assert (row["shapiro_w"], row["shapiro_p"]) == pytest.approx((normal.statistic, normal.pvalue))
    assert row["a12"] == pytest.approx(np.mean([x > y for x in mine for y in other]))
    assert row["cliffs_delta"] == pytest.approx(2 * row["a12"] - 1)


def test_the_p_value_and_the_interval_agree(analysis: Analysis) -> None:
    joined = analysis.statistics.merge(analysis.costs, on=["treatment", "quantity"], suffixes=("", "_cost"))
    tested = joined.dropna(subset=["p"])
    assert len(tested) >= 10
    outside = (tested["low"] > 1) | (tested["high"] < 1)
    scatter = (
        np.log(tested["ratio"]).abs() > tested["scatter"]
    )  # the test knows nothing of what measuring leaves
    assert ((tested["p_corrected"] < 0.05) == scatter).all()
    assert (scatter | ~outside).all() and outside.nunique() == 2
    assert ((joined["tost_p"] <= 0.05) == (joined["verdict"] == "equivalent")).all()


def test_what_is_alike_in_every_run_has_no_p_value(tmp_path: Path) -> None:
    alike = analyse(build(tmp_path / "c", Recipe(frameworks=FACTORS, blocks=4, noise=0.0)), "torch")
    row = row_of(alike, "keras", "memory_peak_bytes")
    assert row["reason"].startswith("no-spread: every block has the same ratio") and pd.isna(row["p"])
    assert pd.isna(row["a12"]) and pd.isna(row["tost_p"])


def test_p_is_corrected_over_the_comparisons_of_one_quantity(analysis: Analysis) -> None:
    """As the intervals are: both hold at once, which costs a little less than twice the p."""
    for name in ("tensorflow", "keras"):
        row = row_of(analysis, name)
        assert row["p"] < row["p_corrected"] < min(1.0, 2 * row["p"])
    counted = analysis.counted
    holm = statistics(counted, analysis.costs, analysis.groups, errors="holm")
    found = holm[(holm["quantity"] == "energy_j")].dropna(subset=["p"]).sort_values("p")
    assert found["p_corrected"].iloc[0] == pytest.approx(2 * found["p"].iloc[0])


def test_the_reference_has_an_order_and_no_comparison(analysis: Analysis) -> None:
    row = row_of(analysis, "torch")
    assert row["reason"] == "the reference" and pd.isna(row["p"]) and pd.isna(row["a12"])
    logs = np.log(values(analysis, "torch").to_numpy())
    expected = stats.spearmanr(range(7), logs)
    assert (row["drift_rho"], row["drift_p"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert -1 < row["lag1"] < 1


def test_joules_that_may_not_meet_have_a_reason_and_no_test(tmp_path: Path) -> None:
    found = analyse(build(tmp_path / "c", Recipe(meters={"tensorflow": "estimate"})), "torch")
    row = row_of(found, "tensorflow")
    assert row["reason"] == "estimated and measured energy are never compared" and pd.isna(row["p"])
    assert row_of(found, "tensorflow", "duration_s")["p"] < 0.05


def test_another_test_by_name_says_that_it_could_never_be_significant(tmp_path: Path) -> None:
    found = analyse(build(tmp_path / "c", Recipe(blocks=3)), "torch")
    table = statistics(found.counted, found.costs, found.groups, test="signed-rank")
    row = table[(table["quantity"] == "energy_j") & table["treatment"].str.startswith("tensorflow")].iloc[0]
    assert (row["test"], row["p"], row["smallest_p"]) == ("signed-rank", 0.25, 0.25)


def test_an_adaptive_campaign_has_no_p_value(analysis: Analysis) -> None:
    table = statistics(analysis.counted, analysis.costs, analysis.groups, adaptive=True)
    assert table[["p", "tost_p", "p_corrected"]].isna().all(axis=None)
    energy = table[table["quantity"] == "energy_j"]
    assert sorted(energy["reason"]) == [LOOKED_AT, LOOKED_AT, "the reference"]
    assert energy["a12"].notna().sum() == 2


def test_a_p_knows_what_measuring_leaves_unsure_as_its_interval_does() -> None:
    mean, error, measured = 0.05, 0.001, 0.04
    sure, unsure = p_value(mean, error, 7), p_value(mean, error, 7, measured)
    assert sure < 1e-8 and 0.05 < unsure < 0.2
    level = float(stats.t.isf(unsure, 7))
    assert reach(error, level, 7, measured).total == pytest.approx(mean)
    assert p_value(-mean, error, 7, measured) == pytest.approx(1 - unsure)


def test_what_rounding_alone_tells_apart_has_no_p(tmp_path: Path) -> None:
    found = analyse(build(tmp_path / "c", Recipe(frameworks=FACTORS, blocks=3, noise=0.0)), "torch")
    rows = found.statistics[found.statistics["quantity"] == "duration_s"]
    assert rows["p"].isna().all() and rows["p_corrected"].isna().all()


def test_ranks_and_signs_stand_beside_whatever_test_was_chosen(analysis: Analysis) -> None:
    row, mine, other = (
        row_of(analysis, "tensorflow"),
        values(analysis, "tensorflow"),
        values(analysis, "torch"),
    )
    differences = np.log(mine / other[mine.index]).to_numpy()
    assert row["signed_rank_p"] == pytest.approx(stats.wilcoxon(differences).pvalue)
    assert 2 / 2**7 <= row["sign_flip_p"] <= 1
