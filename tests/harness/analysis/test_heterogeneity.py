"""How much nodes differ: against another implementation, a documented example, and what is true."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from harness import merging, store
from harness.analysis.heterogeneity import heterogeneity, of_each
from harness.analysis.pairs import Pair
from harness.analysis.replicates import NODES, SESSIONS, Replicates
from harness.analysis.summary import Analysis, analyse
from tests.bench.error_rates_nodes import heterogeneity_rates
from tests.campaigns import Recipe
from tests.harness.merging.nodes import node

# NIST/SEMATECH e-Handbook 7.4.3.4, one-way ANOVA: resistors of three levels, F = 9.59, p = 0.00325 (12 degrees).
LEVELS = ([6.9, 5.4, 5.8, 4.6, 4.0], [8.3, 6.8, 7.8, 9.2, 6.5], [8.0, 10.5, 8.1, 6.9, 9.3])


def one_session_a_node(*blocks: int) -> Replicates:
    nodes = np.repeat(np.arange(1, len(blocks) + 1), blocks)
    return Replicates(NODES, nodes, nodes)


def test_q_is_that_of_a_documented_example() -> None:
    found = heterogeneity(np.concatenate(LEVELS), one_session_a_node(5, 5, 5))
    assert found.q is not None and found.p is not None
    assert found.q / 2 == pytest.approx(9.59, abs=0.005)
    assert found.p == pytest.approx(0.00325, abs=5e-6)
    assert found.i_squared == pytest.approx(1 - 1 / 9.59, abs=1e-3)


def test_p_is_scipys_also_where_nodes_have_unlike_numbers_of_blocks() -> None:
    values = np.random.default_rng(1).normal(size=14)
    found = heterogeneity(values, one_session_a_node(2, 3, 4, 5))
    expected = stats.f_oneway(*np.split(values, [2, 5, 9]))
    assert (found.q or 0) / 3 == pytest.approx(expected.statistic) and found.p == pytest.approx(
        expected.pvalue
    )


def test_nodes_are_told_from_their_sessions_where_they_have_several() -> None:
    where = Replicates(NODES, np.repeat([1, 2], 6), np.repeat([1, 2, 3, 4], 3))
    values = np.random.default_rng(2).normal(size=12)
    means = values.reshape(4, 3).mean(axis=1)
    assert heterogeneity(values, where).p == pytest.approx(stats.f_oneway(means[:2], means[2:]).pvalue)


def test_what_cannot_be_told_is_null() -> None:
    for values, where in (
        (np.array([0.1, 0.2]), one_session_a_node(1, 1)), (np.array([0.1, 0.2]), one_session_a_node(2)),
        (np.array([0.1, 0.1, 0.2, 0.2]), one_session_a_node(2, 2)),
    ):  # fmt: skip
        assert heterogeneity(values, where)[1:] == (None,) * 5


def test_the_spread_of_nodes_is_found_again() -> None:
    draw = np.random.default_rng(3)
    values = np.repeat(draw.normal(0, 0.05, 400), 5) + draw.normal(0, 0.02, 2000)
    assert heterogeneity(values, one_session_a_node(*[5] * 400)).between == pytest.approx(0.05, rel=0.1)


def test_nodes_that_do_not_differ_seem_to_in_five_of_a_hundred() -> None:
    for words, (pooled, own, power) in heterogeneity_rates().items():
        assert 0.04 < pooled < 0.06 < own and power > pooled, words


def test_each_nodes_interval_is_students_over_its_blocks() -> None:
    values = np.random.default_rng(4).normal(0.1, 0.02, 7)
    found = of_each(Pair(values, tuple(range(7))), one_session_a_node(3, 3, 1))
    expected = stats.ttest_1samp(values[:3], 0).confidence_interval(0.95)
    assert found["low"][0] == pytest.approx(np.exp(expected.low))
    assert found["high"][0] == pytest.approx(np.exp(expected.high))
    assert found["ratio"][1] == pytest.approx(np.exp(values[3:6].mean()))
    assert np.isnan(found["low"][2]) and list(found["blocks"]) == [3, 3, 1]


def test_a_node_of_several_sessions_is_told_over_them() -> None:
    where = Replicates(NODES, np.array([1] * 6 + [2] * 2), np.array([1, 1, 1, 1, 2, 2, 3, 3]))
    values = np.random.default_rng(5).normal(size=8)
    found = of_each(Pair(values, tuple(range(8))), where)
    means = [values[:4].mean(), values[4:6].mean()]
    assert found["low"][0] == pytest.approx(np.exp(stats.ttest_1samp(means, 0).confidence_interval().low))
    expected = stats.ttest_1samp(values[6:], 0).confidence_interval()
    assert found["high"][1] == pytest.approx(np.exp(expected.high))


def test_sessions_of_one_machine_are_told_as_nodes_are() -> None:
    values = np.random.default_rng(6).normal(size=6)
    codes = np.repeat([1, 2], 3)
    assert heterogeneity(values, Replicates(SESSIONS, codes, codes)) == heterogeneity(
        values, Replicates(NODES, codes, codes)
    )


def merged(place: Path, factors: tuple[float, ...]) -> Analysis:
    folders = [
        node(
            place / str(number),
            number,
            Recipe(frameworks={"torch": 1.0, "jax": factor}, blocks=4, seconds=2, noise=0.005),
        )
        for number, factor in enumerate(factors, 1)
    ]
    return analyse(store.load_campaign(merging.merge(folders, place / "all")))


@pytest.mark.unhurried
def test_a_merged_campaign_tells_that_its_nodes_differ(tmp_path: Path) -> None:
    found = merged(tmp_path, (1.2, 1.3, 1.4))
    time = found.apart.together.set_index("quantity").loc["duration_s"]
    assert time["p"] < 0.001 and time["i_squared"] > 0.9 and time["replicates"] == 3
    own = found.apart.own[found.apart.own["quantity"] == "duration_s"]
    assert list(own["ratio"]) == pytest.approx([1.2, 1.3, 1.4], rel=0.02)
    whole = found.costs.set_index(["quantity", "treatment"]).loc[("duration_s", "jax 0.10.2")]
    assert (whole["over"], whole["blocks"]) == ("nodes", 3) and whole["high"] / whole["low"] > 1.3


@pytest.mark.unhurried
def test_nodes_of_other_speed_are_no_drift_and_no_unsteady_machine(tmp_path: Path) -> None:
    recipe = Recipe(blocks=4, control_s=0.5, noise=0.001, seconds=1.0)
    folders = [
        node(tmp_path / str(n), n, Recipe(**{**vars(recipe), "session": 1 + 0.2 * n})) for n in (1, 2, 3)
    ]
    found = analyse(store.load_campaign(merging.merge(folders, tmp_path / "all")))
    assert not found.findings and not found.doubts


def test_between_is_by_moments_also_where_nodes_have_unlike_numbers_of_blocks() -> None:
    values = np.array([0.0, 0.1, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5])
    parts = np.split(values, [2])
    within = sum(float(np.square(one - one.mean()).sum()) for one in parts) / 6
    among = sum(len(one) * (one.mean() - values.mean()) ** 2 for one in parts)
    typical = 8 - (2**2 + 6**2) / 8  # blocks of a node; equal numbers would be 4
    found = heterogeneity(values, one_session_a_node(2, 6)).between
    assert found == pytest.approx(np.expm1(np.sqrt((among - within) / typical)))


def test_what_measuring_leaves_unsure_widens_a_nodes_own_interval() -> None:
    differences, where = np.array([0.0, 0.2, 0.1, 0.4]), one_session_a_node(2, 2)
    halves = [
        np.log(of_each(Pair(differences, (1, 2, 3, 4), measured), where)["high"]) - [0.1, 0.25]
        for measured in (None, np.full(4, 0.3))
    ]
    sure = stats.norm.isf(0.025) * 0.3 / np.sqrt(2)
    assert halves[1].tolist() == pytest.approx(np.hypot(halves[0], sure).tolist())
