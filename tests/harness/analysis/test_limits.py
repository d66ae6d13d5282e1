"""A gate passes, fails, or says that it does not know."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from harness.analysis.limits import GateOutcome, judge, low_together, overall
from tests.harness.analysis.vectorised import log_t


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.98, 1.05, GateOutcome.PASS),
        (0.5, 0.6, GateOutcome.PASS),
        (1.051, 1.2, GateOutcome.REGRESSION),
        (1.05, 1.2, GateOutcome.INCONCLUSIVE),
        (1.0, 1.06, GateOutcome.INCONCLUSIVE),
        (None, None, GateOutcome.INCONCLUSIVE),
    ],
)
def test_a_ratio_is_judged_by_its_whole_interval(
    low: float | None, high: float | None, outcome: GateOutcome
) -> None:
    assert judge(pd.DataFrame({"low": [low], "high": [high]}), 0.05).tolist() == [outcome]


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        ([GateOutcome.PASS, GateOutcome.PASS], GateOutcome.PASS),
        ([GateOutcome.PASS, GateOutcome.INCONCLUSIVE], GateOutcome.INCONCLUSIVE),
        ([GateOutcome.INCONCLUSIVE, GateOutcome.REGRESSION], GateOutcome.REGRESSION),
        ([], GateOutcome.INCONCLUSIVE),
    ],
)
def test_one_regression_is_one_and_what_is_unknown_has_not_passed(
    found: list[GateOutcome], outcome: GateOutcome
) -> None:
    assert overall(pd.Series(found, dtype=object)) == outcome


def test_a_withheld_verdict_shows_nothing_whatever_its_interval() -> None:
    numbers = {"ratio": [0.55, 2.0], "low": [0.5, 1.8], "high": [0.6, 2.2], "blocks": 8}
    rows = pd.DataFrame({**numbers, "ratio_reason": ["unequal-work: half of it", ""]})
    assert judge(rows, 0.05).tolist() == [GateOutcome.INCONCLUSIVE, GateOutcome.REGRESSION]


def gate(ratios: int, seed: int, truth: float = 1.05, family: int = 1) -> pd.DataFrame:
    """Of so many ratios, none of which costs more than is allowed."""
    logs = np.random.default_rng(seed).normal(np.log(truth), 0.02, (ratios, 8))
    mean, low, high = log_t(logs, 1 - 0.05 / family)
    return pd.DataFrame(
        {"ratio": np.exp(mean), "low": np.exp(low), "high": np.exp(high), "blocks": 8, "family": family}
    )


@pytest.mark.parametrize("family", [1, 6])
def test_a_gate_of_six_says_regression_wrongly_in_at_most_5_percent(family: int) -> None:
    """Two-sided 95 %: the lower ends alone err in half of it. Six judged one by one would err in 14 %."""
    outcomes = [overall(judge(gate(6, seed, family=family), 0.05)) for seed in range(2000)]
    assert np.mean([one is GateOutcome.REGRESSION for one in outcomes]) == pytest.approx(0.025, abs=0.012)


def test_a_gate_of_six_passes_wrongly_no_more_often_than_one_ratio_does() -> None:
    """Five cost far less; the sixth costs what is allowed: all intervals must lie within the limit."""
    passed = 0
    for seed in range(2000):
        rows = pd.concat([gate(5, seed, 0.5), gate(1, seed + 10_000)], ignore_index=True)
        passed += overall(judge(rows, 0.05)) is GateOutcome.PASS
    assert passed / 2000 == pytest.approx(0.025, abs=0.012)


def test_lower_ends_are_widened_to_those_of_bonferroni_and_one_alone_is_left() -> None:
    six = gate(6, 1)
    logs = np.random.default_rng(1).normal(np.log(1.05), 0.02, (6, 8))
    assert low_together(six).to_numpy() == pytest.approx(np.exp(log_t(logs, 1 - 0.05 / 6)[1]))
    assert low_together(six[:1]).tolist() == six[:1]["low"].tolist()
    together = gate(6, 1, family=6)
    assert low_together(together).to_numpy() == pytest.approx(together["low"].to_numpy())
