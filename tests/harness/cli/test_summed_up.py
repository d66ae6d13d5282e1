"""The one line that tells all ratios, and what their joules are."""

from __future__ import annotations

import pandas as pd

from harness.cli.summed_up import in_one_line, shouted


def rows(*provenances: object) -> pd.DataFrame:
    told = {"quantity": "energy_j", "verdict": None, "ratio": 1.2, "provenance": provenances}
    return pd.DataFrame(told)


def test_rows_without_joules_say_nothing_of_what_joules_are() -> None:
    """As of work that a budget had no time for."""
    assert in_one_line(rows("estimated", "", None)) == "energy (ESTIMATED): 3 without a verdict"
    assert in_one_line(rows("measured", "")) == "energy: 2 without a verdict"


def test_each_kind_that_nobody_measured_is_named_once() -> None:
    assert shouted(rows("estimated", "measured", "simulated", "estimated")) == "ESTIMATED, SIMULATED"


def test_what_has_no_ratio_is_not_counted_among_those_whose_verdict_is_withheld() -> None:
    """The report's first screen counts the latter alone."""
    told = rows("measured", "measured", "").assign(ratio=[1.2, 1.3, None], verdict=["worse", None, None])
    assert in_one_line(told) == "energy: 1 worse, 1 without a verdict, 1 not compared"
