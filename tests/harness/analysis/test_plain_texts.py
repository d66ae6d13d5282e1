"""Rows of small frames, as pandas itself tells them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.plain_texts import records

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "float64": st.floats(allow_nan=False),
    "int64": st.integers(-(2**40), 2**40),
    "bool": st.booleans(),
    "object": st.none() | st.text() | st.booleans() | st.floats(allow_nan=False).map(np.float64),
    "str": st.text(),
}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    rows, kinds = (
        draw(st.integers(0, 4)),
        draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=6)),
    )
    return pd.DataFrame(
        {
            f"{place}": pd.Series(draw(st.lists(VALUES[kind], min_size=rows, max_size=rows)), dtype=kind)
            for place, kind in enumerate(kinds)
        }
    )


@given(frames())
def test_each_value_is_of_the_type_that_pandas_tells(frame: pd.DataFrame) -> None:
    expected = frame.to_dict("records")
    assert records(frame) == expected
    kinds = [[type(one) for one in row.values()] for row in expected]
    assert [[type(one) for one in row.values()] for row in records(frame)] == kinds


def test_what_is_missing_stays_what_it_is() -> None:
    other, count = pd.Series([None, "a"], dtype=object), pd.array([None, 2], "Int64")
    [first, last] = records(pd.DataFrame({"one": [np.nan, 1.0], "other": other, "count": count}))
    assert np.isnan(first["one"]) and first["other"] is None and first["count"] is pd.NA
    assert last == {"one": pytest.approx(1.0), "other": "a", "count": 2}
