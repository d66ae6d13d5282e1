"""Ratios between two campaigns: Welch's interval on logarithms, and what may meet at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from harness.analysis import independent
from harness.analysis.costs import with_rates
from harness.analysis.summary import analyse
from harness.errors import UsageError
from tests.campaigns import Recipe, build


def test_the_interval_is_that_of_scipys_welch_test_on_logarithms() -> None:
    draw = np.random.default_rng(3)
    one, other = draw.lognormal(0.1, 0.05, 7), draw.lognormal(0.0, 0.2, 12)
    ratio = independent.welch_ratio(one, other)
    interval = stats.ttest_ind(np.log(one), np.log(other), equal_var=False).confidence_interval(0.95)
    assert (ratio.low, ratio.high) == pytest.approx((np.exp(interval.low), np.exp(interval.high)))
    assert ratio.ratio == pytest.approx(stats.gmean(one) / stats.gmean(other))
    assert ratio.blocks == 7


def test_it_covers_the_truth_in_95_of_100_campaigns() -> None:
    draw, truth, covered = np.random.default_rng(5), 1.03, 0
    for _ in range(2000):
        one, other = draw.lognormal(np.log(truth), 0.03, 6), draw.lognormal(0, 0.06, 9)
        ratio = independent.welch_ratio(one, other)
        covered += bool(ratio.low and ratio.high and ratio.low < truth < ratio.high)
    assert covered / 2000 == pytest.approx(0.95, abs=0.012)


def test_equivalence_is_shown_at_the_edge_of_the_margin_in_at_most_5_of_100() -> None:
    draw, shown = np.random.default_rng(6), 0
    for _ in range(2000):
        one, other = draw.lognormal(np.log(1.02), 0.01, 10), draw.lognormal(0, 0.01, 10)
        shown += independent.welch_ratio(one, other, 0.02).equivalent
    assert 0.035 < shown / 2000 < 0.065


def test_one_run_has_a_ratio_and_no_interval() -> None:
    ratio = independent.welch_ratio(np.array([2.0]), np.array([1.0, 1.0]))
    assert (ratio.ratio, ratio.low, ratio.verdict) == (2.0, None, "inconclusive")


@pytest.mark.parametrize(
    ("new", "old", "pairs"),
    [
        (["torch 2", "jax 1"], ["torch 2"], {"torch 2": "torch 2"}),
        (["torch 3", "jax 1"], ["torch 2"], {"torch 3": "torch 2"}),
    ],
)
def test_treatments_pair_by_name_then_by_framework(
    new: list[str], old: list[str], pairs: dict[str, str]
) -> None:
    assert independent.pairs_of(new, old) == pairs


@pytest.mark.parametrize("new", [["jax 1"], ["torch 3", "torch 4"]])
def test_what_does_not_pair_is_asked_for(new: list[str]) -> None:
    with pytest.raises(UsageError, match="--candidate"):
        independent.pairs_of(new, ["torch 2"])


def runs(folder: Path, recipe: Recipe) -> pd.DataFrame:
    return with_rates(analyse(build(folder / "c", recipe)).counted)


def test_a_campaign_against_another_has_the_ratio_of_each_judged_quantity(tmp_path: Path) -> None:
    old = runs(tmp_path / "old", Recipe(frameworks={"torch": 1.0}, blocks=8, noise=0.005))
    new = runs(tmp_path / "new", Recipe(frameworks={"torch": 1.2}, blocks=8, noise=0.005, seed=2))
    rows = independent.between(new, old, {"torch 2.13.0": "torch 2.13.0"}).set_index("quantity")
    assert rows.loc["duration_s", "ratio"] == pytest.approx(1.2, rel=0.02)
    assert (rows.loc["energy_j", "verdict"], rows.loc["duration_s", "verdict"]) == ("worse", "worse")
    assert "mean_power_w" not in rows.index


def test_joules_of_different_provenance_do_not_meet(tmp_path: Path) -> None:
    old = runs(tmp_path / "old", Recipe(frameworks={"torch": 1.0}))
    new = runs(tmp_path / "new", Recipe(frameworks={"torch": 1.0}, meter="estimate"))
    rows = independent.between(new, old, {"torch 2.13.0": "torch 2.13.0"}).set_index("quantity")
    assert "never compared" in rows.loc["energy_j", "ratio_reason"]
    assert pd.isna(rows.loc["energy_j", "ratio"]) and pd.notna(rows.loc["duration_s", "ratio"])


def test_campaigns_without_common_work_are_refused(tmp_path: Path) -> None:
    old = runs(tmp_path / "old", Recipe(frameworks={"torch": 1.0}))
    new = runs(tmp_path / "new", Recipe(frameworks={"torch": 1.0}, dataset="mnist"))
    with pytest.raises(UsageError, match="no work in common"):
        independent.between(new, old, {"torch 2.13.0": "torch 2.13.0"})
