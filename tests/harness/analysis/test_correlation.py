"""Spearman's table against R and pingouin."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from harness.analysis.correlation import CORRELATION_COLUMNS, spearman
from harness.analysis.multiplicity import holm
from tests.harness.analysis.examples import TUNA, TUNA_P, TUNA_RHO


def test_rho_and_p_of_the_tunas() -> None:
    table = spearman(
        pd.DataFrame(dict(zip(("lightness", "panel"), TUNA, strict=True))), ["lightness", "panel"]
    )
    row = table.iloc[0]
    assert list(table.columns) == CORRELATION_COLUMNS
    assert (row["n"], row["rho"], row["p"]) == (9, pytest.approx(TUNA_RHO), pytest.approx(TUNA_P))
    assert row["p_holm"] == row["p"]


def test_every_pair_is_a_row_over_the_runs_that_have_both() -> None:
    frame = pd.DataFrame(
        {"a": [1.0, 2, 3, 4, None], "b": [1.0, 4, 9, 16, 25], "c": [2.0] * 5, "d": [4.0, 3, 2, 1, 0]}
    )
    table = spearman(frame, list("abcd")).set_index(["one", "other"])
    assert (len(table), table.loc[("a", "b"), "n"], table.loc[("b", "d"), "n"]) == (6, 4, 5)
    assert (table.loc[("a", "b"), "rho"], table.loc[("b", "d"), "rho"]) == (
        pytest.approx(1),
        pytest.approx(-1),
    )
    assert np.isnan(table.loc[("a", "c"), "rho"]) and np.isnan(table.loc[("a", "c"), "p_holm"])


def test_p_is_corrected_over_all_pairs() -> None:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame(draw.normal(size=(12, 3)), columns=list("abc"))
    table = spearman(frame, list("abc"))
    assert table["p_holm"].tolist() == holm(table["p"]).tolist() != table["p"].tolist()
