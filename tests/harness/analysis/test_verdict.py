"""Four verdicts, and which of them an interval and a margin give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.compare import Ratio, ratio_of
from harness.analysis.verdict import Verdict, judge, log_margin
from harness.errors import UsageError
from tests.harness.analysis.examples import DIFFERENCES


@pytest.mark.parametrize(
    ("low", "high", "equivalent", "verdict"),
    [
        (0.90, 0.95, False, "better"),
        (1.05, 1.10, False, "worse"),
        (1.001, 1.03, False, "worse"),  # the interval tells that it may be less than the margin
        (0.99, 1.05, False, "inconclusive"),
        (0.99, 1.01, True, "equivalent"),
        (1.001, 1.01, True, "equivalent"),  # real, and smaller than what matters
        (None, None, False, "inconclusive"),
    ],
)
def test_each_interval_has_one_verdict(
    low: float | None, high: float | None, equivalent: bool, verdict: str
) -> None:
    assert Ratio(1.0, low, high, 5, 0.02, equivalent).verdict == verdict


def test_a_wider_margin_turns_a_small_real_difference_into_equivalence() -> None:
    differences = np.log(1.03) + DIFFERENCES - DIFFERENCES.mean()
    assert [ratio_of(differences, margin=one).verdict for one in (0.01, 0.02, 0.05)] == [
        "worse", "worse", "equivalent",
    ]  # fmt: skip


@pytest.mark.parametrize("blocks", [1, 2, 10])
@pytest.mark.parametrize("value", [0.0, 0.00995])
def test_blocks_without_any_spread_prove_nothing(blocks: int, value: float) -> None:
    found = ratio_of(np.full(blocks, value))
    assert (found.verdict, found.low, found.equivalent) == ("inconclusive", None, False)
    assert found.reason.startswith(
        "one block" if blocks == 1 else "no-spread: every block has the same ratio"
    )


@given(st.floats(-1, 1), st.floats(-1, 1), st.booleans())
def test_swapping_the_sides_swaps_better_and_worse(one: float, other: float, equivalent: bool) -> None:
    swapped = {"better": "worse", "worse": "better"}
    low, high, flag = np.asarray(min(one, other)), np.asarray(max(one, other)), np.asarray(equivalent)
    verdict = judge(low, high, flag).item()
    assert judge(-high, -low, flag).item() == swapped.get(verdict, verdict)
    assert verdict in set(Verdict)


@pytest.mark.parametrize("margin", [0.0, -0.02, 1.0, 2.0, float("nan")])
def test_a_margin_that_is_no_share_is_refused(margin: float) -> None:
    with pytest.raises(UsageError, match=r"a margin lies between 0 and 1 \(2 % is 0.02\)"):
        log_margin(margin)
