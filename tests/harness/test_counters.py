"""The growth of a counter, whatever its range: as if it had never wrapped."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.counters import growth_between

RANGE = 262_143_328_850  # microjoules, of a package


@given(start=st.integers(0, RANGE - 1), grown=st.integers(0, RANGE - 1))
def test_a_wrap_changes_nothing(start: int, grown: int) -> None:
    assert growth_between(start, (start + grown) % RANGE, RANGE) == grown


@given(st.lists(st.integers(0, RANGE - 1), min_size=2, max_size=20))
def test_of_arrays_each_pair_counts_by_itself(grown: list[int]) -> None:
    readings = np.concatenate(([0.0], np.cumsum(grown))) % RANGE
    assert growth_between(readings[:-1], readings[1:], RANGE).tolist() == grown


def test_without_a_range_a_fall_stays_a_fall() -> None:
    assert growth_between(5.0, 3.0, None) == -2.0
