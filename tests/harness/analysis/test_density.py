"""The outline of a violin: Scott's kernels, within what was seen, and nothing for too few values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.density import LEAST, density

values = st.lists(st.floats(1e-3, 1e6), min_size=LEAST, max_size=40).filter(
    lambda v: np.ptp(v) > 1e-6 * max(v)
)


def test_it_is_the_sum_of_gaussians_of_scotts_width() -> None:
    known = np.array([1.0, 2.0, 2.5, 4.0, 8.0, 8.5])
    found = density(pd.Series(known))
    width = known.std(ddof=1) * len(known) ** -0.2
    sums = np.exp(-(((found["value"].to_numpy()[:, None] - known) / width) ** 2) / 2).sum(axis=1)
    assert found["share"].to_numpy() == pytest.approx(sums / sums.max(), rel=1e-9)


@given(values)
def test_it_reaches_from_the_least_to_the_greatest_value_and_is_at_most_one(known: list[float]) -> None:
    found = density(pd.Series(known))
    assert found["value"].iloc[0] == min(known) and found["value"].iloc[-1] == pytest.approx(max(known))
    assert found["share"].max() == 1 and (found["share"] > 0).all()


@pytest.mark.parametrize("known", [[], [1.0] * 30, [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0, None]])
def test_too_few_and_equal_values_have_no_shape(known: list[float | None]) -> None:
    assert density(pd.Series(known, dtype="float64")).empty
