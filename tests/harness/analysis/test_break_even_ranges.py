"""Between which numbers of epochs nobody has shown who costs less."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.break_even_ranges import RANGE_COLUMNS, Range, break_even_ranges, range_of
from harness.analysis.courses import Course, break_even
from harness.analysis.groups import GROUP

KIND = {"provenance": "measured", "energy_boundary": "package"}
KEY = dict.fromkeys(GROUP, "x")


@given(*[st.integers(-60, 60)] * 2)
def test_without_noise_both_ends_are_the_break_even(once: int, per_epoch: int) -> None:
    found = range_of(np.full(4, float(once)), np.full(4, float(per_epoch)))
    assert found is not None
    assert found.high == break_even(Course(once, per_epoch), Course(0, 0)).epochs
    not_more = [n for n in range(1, 200) if once + per_epoch * n <= 0]
    assert found.low == (not_more[0] if not_more else None)


def test_it_holds_the_truth_in_as_many_campaigns_as_it_says() -> None:
    """24 J more at the start and 2 J less with each epoch: after 12 epochs equal, so neither more nor less."""
    drawn = np.random.default_rng(5)
    ranges = [range_of(drawn.normal(24, 4, 6), drawn.normal(-2, 0.3, 6)) for _ in range(2000)]
    told = [one for one in ranges if one is not None]
    early = np.mean([one.high is not None and one.high <= 12 for one in told])
    late = np.mean([one.low is None or one.low > 12 for one in told])
    assert len(told) == 2000 and 0.015 < early < 0.035 and 0.015 < late < 0.035


@pytest.mark.parametrize("once", [[1.0], [1.0, np.nan]])
def test_one_block_or_an_unknown_cost_has_no_range(once: list[float]) -> None:
    assert range_of(np.array(once), np.zeros(len(once))) is None


def test_what_no_number_of_epochs_shows_is_never() -> None:
    assert range_of(np.array([9.0, 10.0, 11.0]), np.array([1.0, 1.1, 0.9])) == Range(None, None)
    assert range_of(np.array([9.0, 10.0, 11.0]), np.array([-3.0, 3.0, 0.0])) == Range(2, None)


def test_only_blocks_that_both_have_count() -> None:
    rows = [
        {**KEY, "treatment": name, "block": block, **KIND, "energy_j_once": once, "energy_j_per_epoch": each}
        for name, blocks, once, each in (("jax", (1, 2, 3), 30.0, 1.0), ("torch", (2, 3, 4), 10.0, 3.0))
        for block in blocks
    ]
    rows.append({**KEY, "treatment": "keras", "block": 9, "energy_j_once": 1.0, "energy_j_per_epoch": 1.0})
    found = break_even_ranges(pd.DataFrame(rows))
    estimated = pd.DataFrame(
        [{**row, "provenance": "estimated"} if row["block"] == 3 else row for row in rows]
    )
    assert break_even_ranges(estimated).empty
    assert list(found.columns) == RANGE_COLUMNS
    told = found.set_index(["treatment", "reference"])[["low", "high"]]
    assert told.index.tolist() == [("jax", "torch"), ("torch", "jax")]
    assert told.loc[("jax", "torch")].tolist() == [10, 11]
    assert told.loc[("torch", "jax")].tolist() == [1, 1]
