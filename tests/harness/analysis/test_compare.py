"""The interval of a ratio against SciPy's own paired test, and what may not be compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from harness.analysis.compare import Ratio, geometric_mean, mixed, ratio_of, told
from harness.analysis.pairs import Pair, block_logs
from harness.analysis.quantity import Quantity


def paired(treatment: pd.Series, reference: pd.Series) -> Pair | None:
    """Both indexed by block."""
    frames = (one.rename("value").rename_axis("block").reset_index() for one in (treatment, reference))
    mine, other = (block_logs(frame, "value") for frame in frames)
    return mine.over(other)


def ratio_between(treatment: pd.Series, reference: pd.Series) -> Ratio | None:
    pair = paired(treatment, reference)
    return pair and told(pair)


positive = st.floats(0.01, 1e4)
pairs = st.lists(st.tuples(positive, positive), min_size=2, max_size=20)


@settings(deadline=None)  # the first call loads SciPy
@given(pairs)
def test_the_ratio_and_its_interval_are_those_of_a_paired_t_test_on_logarithms(
    pairs: list[tuple[float, float]],
) -> None:
    treatment, reference = (pd.Series(one, dtype=float) for one in zip(*pairs, strict=True))
    ratio = ratio_between(treatment, reference)
    logs = np.log(treatment), np.log(reference)
    expected = stats.ttest_rel(*logs).confidence_interval(0.95)
    assert ratio is not None
    assert ratio.ratio == pytest.approx(stats.gmean(treatment) / stats.gmean(reference), rel=1e-9)
    if np.std(logs[0] - logs[1]) > 1e-9:  # SciPy gives nan for identical differences
        assert (ratio.low, ratio.high) == pytest.approx(tuple(np.exp(expected)), rel=1e-6)


@settings(deadline=None)  # the first call loads SciPy
@given(pairs)
def test_swapping_treatment_and_reference_inverts_ratio_and_interval(
    pairs: list[tuple[float, float]],
) -> None:
    one, other = (pd.Series(values, dtype=float) for values in zip(*pairs, strict=True))
    forward, back = ratio_between(one, other), ratio_between(other, one)
    assert forward is not None and back is not None
    assert forward.ratio == pytest.approx(1 / back.ratio)
    if forward.low is None or back.high is None:  # blocks that are all alike
        assert forward.reason and forward.reason == back.reason
        return
    assert np.log(forward.low) == pytest.approx(-np.log(back.high), abs=1e-9)


def test_only_blocks_with_both_values_count() -> None:
    ratio = ratio_between(pd.Series({1: 2.0, 2: 4.0, 3: None}), pd.Series({1: 1.0, 3: 9.0, 4: 9.0}))
    assert ratio is not None and (ratio.ratio, ratio.blocks) == (pytest.approx(2.0), 1)
    assert (ratio.low, ratio.verdict) == (None, "inconclusive")


def test_the_differences_stand_in_the_order_of_the_blocks() -> None:
    """An adaptive campaign looks at the first blocks first."""
    treatment = pd.Series({3: 8.0, 1: 2.0, 2: 4.0})
    found = paired(treatment, pd.Series({2: 1.0, 3: 1.0, 1: 1.0}))
    assert found is not None and np.exp(found.differences) == pytest.approx([2, 4, 8])


@pytest.mark.parametrize(
    ("values", "verdict"), [((0.5, 0.51), "better"), ((2.0, 2.1), "worse"), ((0.5, 2.0), "inconclusive")]
)
def test_the_verdict_follows_the_interval(values: tuple[float, float], verdict: str) -> None:
    ratio = ratio_between(pd.Series(values), pd.Series([1.0, 1.0]))
    assert ratio is not None and ratio.verdict == verdict


def runs(provenance: str, boundary: str = "cpu_package", block: int = 1) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "block": [block],
            "energy_j": [3.0],
            "duration_s": [1.0],
            "provenance": [provenance],
            "energy_boundary": [boundary],
        }
    )


def test_measured_and_estimated_joules_are_never_compared() -> None:
    both = pd.concat([runs("measured"), runs("estimated")])
    assert mixed(both) == "estimated and measured energy are never compared"
    assert mixed(runs("measured")) == ""


def test_joules_of_different_boundaries_are_not_compared() -> None:
    assert "cpu_package + dram" in mixed(
        pd.concat([runs("measured"), runs("measured", "cpu_package + dram")])
    )


def test_without_a_common_block_there_is_no_pair() -> None:
    assert Quantity("energy_j", "").pair(runs("measured", block=1), runs("measured", block=2)) is None


@pytest.mark.parametrize(
    ("values", "expected"), [([1.0, 4.0], 2.0), ([1.0, None, 4.0], 2.0), ([], None), ([0.0, 1.0], None)]
)
def test_geometric_mean(values: list[float | None], expected: float | None) -> None:
    found = geometric_mean(pd.Series(values, dtype=float))
    assert found == (None if expected is None else pytest.approx(expected))


def test_a_log_with_a_gap_of_30_seconds_is_no_sure_ratio_however_well_its_blocks_agree() -> None:
    """16 800 +- 3 508 J against 18 790 J, twice: 0.894, and the gap alone leaves a tenth of it open."""
    runs = pd.DataFrame(
        {"block": [1, 2], "energy_j": [16_800.0, 16_801.0], "energy_uncertainty_j": [3508.0] * 2}
    )
    other = runs.assign(energy_j=[18_790.0, 18_792.0])
    columns = ("energy_uncertainty_j", "energy_j")
    blind, seeing = (
        block_logs(runs, "energy_j", one).over(block_logs(other, "energy_j", one)) for one in (None, columns)
    )
    assert blind is not None and seeing is not None
    assert told(blind).verdict == "better" and told(blind).measured is None
    found = told(seeing)
    assert found.verdict == "inconclusive" and found.low is not None and found.low < 0.75
    assert found.measured == pytest.approx(3508 / 18_790 * 1.04, rel=0.05)


def test_blocks_that_differ_by_less_than_a_step_have_no_interval() -> None:
    differences = np.array([0.1, 0.1004, 0.1002])
    assert ratio_of(differences).low is not None
    assert ratio_of(differences, resolution=0.001).reason.startswith(
        "no-spread: the blocks differ by less than a step"
    )
