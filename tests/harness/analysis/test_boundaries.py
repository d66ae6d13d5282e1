"""Critical values of repeated looks against Student's t, published boundaries and simulated t statistics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from harness.analysis.boundaries import critical_t, pocock

pytestmark = pytest.mark.unhurried

CAMPAIGNS = 400_000


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("blocks", [2, 3, 5, 10, 30])
def test_a_single_look_has_the_critical_value_of_a_t_test(blocks: int, sides: int) -> None:
    found = critical_t((blocks,), 0.05, "pocock", sides)
    assert found == pytest.approx([stats.t.isf(0.05 / sides, blocks - 1)], rel=1e-3)


@pytest.mark.parametrize(
    ("spending", "published"),
    [
        ("pocock", [2.438, 2.427, 2.410, 2.397, 2.386]),
        ("obrien-fleming", [4.877, 3.357, 2.680, 2.290, 2.031]),
    ],
)
def test_many_blocks_come_near_the_published_boundaries_of_normal_theory(
    spending: str, published: list[float]
) -> None:
    """Five equal looks, alpha 0.05 on two sides, as printed by the programs of Lan and DeMets."""
    looks = (12, 24, 36, 48, 60)
    found = np.array(critical_t(looks, 0.05, spending))
    as_normal = stats.norm.isf(stats.t.sf(found, np.array(looks) - 1))
    assert as_normal == pytest.approx(published, rel=0.015)


@pytest.mark.parametrize(
    ("looks", "alpha", "spending", "sides"),
    [
        (tuple(range(2, 11)), 0.05, "pocock", 2),
        (tuple(range(3, 11)), 0.05, "pocock", 1),
        ((4, 8, 20), 0.01, "obrien-fleming", 2),
    ],
)
def test_simulated_t_statistics_cross_at_each_look_as_often_as_it_may_spend(
    looks: tuple[int, ...], alpha: float, spending: str, sides: int
) -> None:
    values = np.random.default_rng(17).normal(size=(CAMPAIGNS, looks[-1]))
    t = np.stack([np.sqrt(n) * values[:, :n].mean(1) / values[:, :n].std(1, ddof=1) for n in looks], 1)
    over = (np.abs(t) if sides == 2 else t) > critical_t(looks, alpha, spending, sides)
    first = np.bincount(over.argmax(1)[over.any(1)], minlength=len(looks)) / CAMPAIGNS
    assert over.any(1).mean() == pytest.approx(alpha, abs=4 * np.sqrt(alpha / CAMPAIGNS))
    parts = np.array(looks) / looks[-1]
    if spending == "pocock":
        assert first == pytest.approx(np.diff(alpha * np.log1p((np.e - 1) * parts), prepend=0), abs=1e-3)


def test_what_is_too_little_to_spend_is_left_for_later_looks() -> None:
    found = critical_t(tuple(range(2, 31)), 0.05, "obrien-fleming")
    assert found[0] == np.inf and np.isfinite(found[-1])
    assert found[-1] == pytest.approx(stats.t.isf(0.025, 29), rel=0.15)


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 162, 1e-6])
def test_a_first_look_is_students_however_small_its_part_of_the_error(alpha: float) -> None:
    exact = float(stats.t.isf(pocock(3 / 4, alpha / 2), 2))
    assert critical_t((3, 4), alpha, "pocock")[0] == pytest.approx(exact, rel=1e-6)
