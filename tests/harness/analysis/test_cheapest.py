"""Who may cost least: the truth is among them in 95 % of campaigns, and alone where it is plain."""

from __future__ import annotations

import numpy as np
import pytest

from harness.analysis.cheapest import candidates
from harness.analysis.pairs import Pair


def told(logs: np.ndarray) -> tuple[str, ...]:
    """`logs`: (treatments, blocks)."""
    names = [str(place) for place in range(len(logs))]
    blocks = tuple(range(logs.shape[1]))
    return candidates(names, lambda one, other: Pair(logs[int(one)] - logs[int(other)], blocks))


@pytest.mark.parametrize(("treatments", "blocks"), [(2, 5), (5, 5), (10, 10)])
def test_the_cheapest_is_dropped_in_5_percent_at_most(treatments: int, blocks: int) -> None:
    draw = np.random.default_rng(treatments)
    alike = [told(draw.normal(0, 0.03, (treatments, blocks))) for _ in range(1000)]
    assert np.mean(["0" in one for one in alike]) == pytest.approx(0.95, abs=0.02)
    ahead = np.array([0.0] + [0.02] * (treatments - 1))[:, None]
    found = ["0" in told(ahead + draw.normal(0, 0.03, (treatments, blocks))) for _ in range(300)]
    assert np.mean(found) > 0.95


def test_a_plain_winner_stands_alone() -> None:
    noise = np.random.default_rng(3).normal(0, 0.01, (4, 8))
    assert told(noise + np.array([0.2, 0.0, 0.3, 0.1])[:, None]) == ("1",)
    assert set(told(noise + np.array([0.2, 0.0, 0.001, 0.3])[:, None])) == {"1", "2"}


def test_where_one_is_unknown_nobody_is_named() -> None:
    assert candidates(["a", "b"], lambda one, other: None) == ()
    assert told(np.zeros((3, 5))) == ()


def test_what_measuring_leaves_unsure_keeps_others_in_the_race() -> None:
    noise = np.random.default_rng(3).normal(0, 0.01, (2, 8)) + np.array([0.1, 0.0])[:, None]

    def pairs(measured: np.ndarray | None) -> tuple[str, ...]:
        blocks = tuple(range(8))
        return candidates(["a", "b"], lambda one, other: Pair(
            noise["ab".index(one)] - noise["ab".index(other)], blocks, measured
        ))  # fmt: skip

    assert pairs(None) == ("b",)
    assert pairs(np.full(8, 0.5)) == ("a", "b")
