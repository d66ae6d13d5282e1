"""A merged campaign's ratios are told over its nodes, or over one machine's sessions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness import paths
from harness.analysis.compare import told
from harness.analysis.pairs import ONE_OF, block_logs
from harness.analysis.replicates import BLOCKS, NODE, NODES, SESSION, Replicates, columns
from harness.analysis.robust import checks
from harness.records import SourceRecord
from tests.bench.error_rates_nodes import (
    DESIGNS,
    METHODS,
    heterogeneity_rows,
    matrix,
    ours,
    rates,
    rows,
)


def frame(values: np.ndarray, where: Replicates) -> pd.DataFrame:
    """Runs of one treatment: a value a block."""
    found = pd.DataFrame({"block": np.arange(1, len(values) + 1), "x": values, SESSION: where.sessions})
    return found.assign(**{NODE: where.of}) if where.kind == NODES else found


def source(node: int, session: int) -> SourceRecord:
    return SourceRecord(
        campaign_id="c", created="", node=node, session=session, after=0, blocks=1, machine={}, channels=()
    )


def test_one_session_is_told_over_its_blocks_and_several_over_sessions_or_nodes() -> None:
    assert columns([]) == columns([source(1, 1), source(1, 1)]) == []
    assert columns([source(1, 1), source(1, 2)]) == [SESSION]
    assert columns([source(1, 1), source(2, 2), source(2, 3)]) == [SESSION, NODE]


def test_without_any_merging_nothing_changes() -> None:
    runs = pd.DataFrame({"block": [1, 2, 3], "x": [1.0, 2.0, 3.0]})
    pair = block_logs(runs, "x").over(block_logs(runs.assign(x=1.0), "x"))
    assert pair is not None and pair.kind == BLOCKS and pair.blocks == (1, 2, 3)


def test_the_interval_is_students_over_the_means_of_nodes() -> None:
    where = Replicates(NODES, np.repeat([1, 2, 3], [2, 3, 5]), np.repeat([1, 2, 3], [2, 3, 5]))
    values = np.exp(np.random.default_rng(1).normal(0.1, 0.02, 10))
    pair = block_logs(frame(values, where), "x").over(block_logs(frame(np.ones(10), where), "x"))
    assert pair is not None and (pair.kind, pair.blocks) == (NODES, (1, 2, 3))
    means = [np.log(values[where.of == node]).mean() for node in (1, 2, 3)]
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    ratio = told(pair)
    assert (ratio.low, ratio.high) == pytest.approx((np.exp(expected.low), np.exp(expected.high)))


def test_sessions_of_a_node_have_the_same_weight_however_many_blocks_they_have() -> None:
    where = Replicates(NODES, np.array([1, 1, 1, 1, 2]), np.array([1, 1, 1, 2, 3]))
    assert where.means(np.array([1.0, 2.0, 3.0, 6.0, 5.0])) == pytest.approx([4.0, 5.0])
    assert where.in_quadrature(np.ones(5)) == pytest.approx([np.hypot(1 / np.sqrt(3), 1) / 2, 1.0])


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.floats(-2, 2))
def test_what_is_alike_everywhere_stays_what_it_is(blocks: list[int], value: float) -> None:
    nodes = np.repeat(np.arange(1, len(blocks) + 1), blocks)
    where = Replicates(NODES, nodes, nodes)
    assert where.means(np.full(len(nodes), value)) == pytest.approx(np.full(len(blocks), value))


@given(st.permutations(range(6)))
def test_the_order_of_blocks_changes_nothing(order: list[int]) -> None:
    where = Replicates(NODES, np.array([1, 1, 2, 2, 2, 3]), np.array([1, 2, 3, 3, 4, 5]))
    values, places = np.arange(6.0) ** 2, np.array(order)
    assert where.take(places).means(values[places]) == pytest.approx(where.means(values))


def test_a_treatment_that_one_node_alone_measured_has_no_interval() -> None:
    where = Replicates(NODES, np.array([1, 1, 2]), np.array([1, 1, 2]))
    whole = frame(np.array([1.0, 1.1, 1.2]), where)
    pair = block_logs(whole[whole[NODE] == 1], "x").over(block_logs(whole.assign(x=1.0), "x"))
    assert pair is not None
    ratio = told(pair)
    assert ratio.low is None and ratio.reason == pair.unspread == ONE_OF.format("node")


def test_a_verdict_that_rests_on_a_node_names_it() -> None:
    where = Replicates(NODES, np.repeat([1, 2, 3, 4], 2), np.repeat([1, 2, 3, 4], 2))
    values = np.exp(np.repeat([0.10, 0.11, 0.09, 0.02], 2))
    pair = block_logs(frame(values, where), "x").over(block_logs(frame(np.ones(8), where), "x"))
    assert pair is not None
    ratio = told(pair)
    assert set(checks(pair, ratio).rests_on) <= {1, 2, 3, 4}
    assert checks(pair, ratio).without_high == pytest.approx(np.exp(0.10))


def test_what_measuring_leaves_unsure_is_carried_to_the_nodes() -> None:
    where = Replicates(NODES, np.array([1, 1, 2, 2]), np.array([1, 1, 2, 2]))
    runs = frame(np.array([1.0, 1.1, 1.2, 1.1]), where).assign(half=0.1, whole=1.0)
    one = block_logs(runs, "x", ("half", "whole"))
    pair = one.over(block_logs(frame(np.ones(4), where).assign(half=0.0, whole=1.0), "x", ("half", "whole")))
    assert pair is not None and pair.measured is not None
    assert pair.mean_measured == pytest.approx(np.sqrt((one.measured**2).sum()) / 4)


@pytest.mark.parametrize("design", DESIGNS[:4] + DESIGNS[9:], ids=lambda one: one.words)
def test_the_simulated_arithmetic_is_that_of_reports(design) -> None:
    """A handful of campaigns through frames, pairs and intervals."""
    values, where = design.draw(5, 4), design.replicates
    wrong = ours(design, values)
    for place in range(4):
        pair = block_logs(frame(np.exp(values[place]), where), "x").over(
            block_logs(frame(np.ones(len(where.of)), where), "x")
        )
        assert pair is not None
        ratio = told(pair)
        assert ratio.low is not None and ratio.high is not None
        assert pair.differences == pytest.approx(matrix(design) @ values[place])
        assert wrong[place] == (not ratio.low <= 1 <= ratio.high)


def test_five_in_a_hundred_verdicts_over_nodes_and_sessions_are_false() -> None:
    """A short form: a quarter of the campaigns of the table in the documentation."""
    for design in DESIGNS:
        rate = ours(design, design.draw(9, 5000)).mean()
        assert rate < 0.06 and (rate > 0.04 or design.quiet > 1), design.words


def test_blocks_as_replicates_would_be_false_in_every_fourth_case() -> None:
    over_blocks = list(METHODS).index("t over all blocks")
    assert rates()["5 nodes of 5 blocks"][over_blocks] > 0.25


@pytest.mark.unhurried
def test_the_tables_in_the_documentation_are_what_was_measured() -> None:
    text = (paths.ROOT / "docs" / "statistics.md").read_text()
    assert " | ".join(METHODS) in text
    for row in [*rows(), *heterogeneity_rows()]:
        assert row in text, row
