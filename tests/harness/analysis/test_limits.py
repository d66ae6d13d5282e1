"""A gate passes, fails, or says that it does not know."""

from __future__ import annotations

import pandas as pd
import pytest

from harness.analysis.limits import Outcome, judge, overall


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.98, 1.05, Outcome.PASS),
        (0.5, 0.6, Outcome.PASS),
        (1.051, 1.2, Outcome.REGRESSION),
        (1.05, 1.2, Outcome.INCONCLUSIVE),
        (1.0, 1.06, Outcome.INCONCLUSIVE),
        (None, None, Outcome.INCONCLUSIVE),
    ],
)
def test_a_ratio_is_judged_by_its_whole_interval(
    low: float | None, high: float | None, outcome: Outcome
) -> None:
    assert judge(pd.DataFrame({"low": [low], "high": [high]}), 0.05).tolist() == [outcome]


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        ([Outcome.PASS, Outcome.PASS], Outcome.PASS),
        ([Outcome.PASS, Outcome.INCONCLUSIVE], Outcome.INCONCLUSIVE),
        ([Outcome.INCONCLUSIVE, Outcome.REGRESSION], Outcome.REGRESSION),
        ([], Outcome.INCONCLUSIVE),
    ],
)
def test_one_regression_is_one_and_what_is_unknown_has_not_passed(
    found: list[Outcome], outcome: Outcome
) -> None:
    assert overall(pd.Series(found, dtype=object)) == outcome
