"""Labels of axes: 1 is always there, none comes twice, none has too little room; a framework looks alike everywhere."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reports.theme import PALETTE, places
from reports.ticks import MOST, ROOM, ratio_ticks, whole_ticks

FACTORS = st.floats(1.0001, 1e4)


@given(FACTORS, FACTORS)
def test_ticks_of_ratios_have_room_and_hold_1(below: float, above: float) -> None:
    low, high = 1 / below, above
    found = ratio_ticks(low, high)
    assert 1.0 in found and found == sorted(set(found)) and low <= found[0] and found[-1] <= high
    gaps = np.diff(np.log(found)) / np.log(high / low)
    assert len(found) == 1 or gaps.min() >= ROOM - 1e-9
    assert len({f"{one:.6g}" for one in found}) == len(found)


def test_a_usual_axis_has_more_than_the_1() -> None:
    assert ratio_ticks(0.4, 2.2) == [0.5, 0.7, 1.0, 1.5, 2.0]
    assert len(ratio_ticks(0.97, 1.04)) >= 3 and len(ratio_ticks(0.01, 100)) >= 3


def test_a_side_of_1_has_a_number_of_its_own_where_there_is_room() -> None:
    assert ratio_ticks(0.6, 5.0) == [0.7, 1.0, 2.0, 5.0]
    assert ratio_ticks(0.2, 1.7)[-1] > 1 and ratio_ticks(0.95, 9.0)[0] == 1


@given(st.lists(st.integers(0, 5000), min_size=1))
def test_whole_numbers_come_once_and_are_few(values: list[int]) -> None:
    found = whole_ticks(np.array(values, dtype="float64"))
    assert 1 <= len(found) <= MOST and len(set(found)) == len(found) and found[0] == min(values)


def test_a_framework_keeps_its_place_whoever_else_is_there() -> None:
    alone, among = places(["jax 0.10.2"]), places(["torch 2.13.0", "sklearn 1.9.1", "jax 0.10.2"])
    assert alone == [among[2]] and len(set(among)) == 3


@given(
    st.lists(st.sampled_from(["torch 1", "torch 2", "jax 1", "keras 3", "train", "build", ""]), unique=True)
)
def test_no_two_names_share_a_place_while_there_are_enough(names: list[str]) -> None:
    found = places(names)
    assert len(set(found)) == len(names) <= len(PALETTE)
