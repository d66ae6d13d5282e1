"""The rounding of floats is no signal: numbers of a chart have the digits that can be seen; unknown stays unknown."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reports.bubbles import bubbles
from reports.compact import compact


def test_numbers_keep_six_digits_and_words_and_counts_stay() -> None:
    rows = pd.DataFrame(
        {"name": ["a", "b"], "value": [3.9999999999997, 123456789.0], "count": [1, 2_000_000_001]}
    )
    assert compact(rows).values == [
        {"name": "a", "value": 4.0, "count": 1},
        {"name": "b", "value": 123457000.0, "count": 2_000_000_001},
    ]


@pytest.mark.parametrize("unknown", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_null(unknown: float) -> None:
    assert compact(pd.DataFrame({"value": [unknown, 1.0]})).values[0] == {"value": None}


def test_equal_gains_are_labelled_with_their_value() -> None:
    """A means of floats differ in the last digit; the axis must not say 1 for 0.53."""
    gains = [0.53, 0.53 + 1e-16, 0.53 - 1e-16]
    rows = pd.DataFrame({"treatment": list("abc"), "setting": "", "cost": [1.0, 2.0, 3.0], "gain": gains, "size": 1.0,
                         "front": [True, False, False]})  # fmt: skip
    svg = bubbles(rows, list("abc"), {"cost": "energy (J)", "gain": "accuracy", "size": "time (s)"}).svg
    assert ">0.53</text>" in svg
