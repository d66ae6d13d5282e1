"""Pairs of campaigns of which the truth is known: how often a verdict between them is false.

`rows()` is a table of docs/statistics.md; `python -m tests.bench.error_rates_sessions` prints it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from harness.analysis import sessions
from harness.analysis.verdict import MARGIN, Floats

PAIRS, BLOCKS = 20_000, (5, 10)
SESSION, NOISE = (
    0.01,
    0.01,
)  # standard deviations, as shares: of what a session does to all, and of a run by itself
OWN = (0.0, 0.002, 0.005, 0.01)  # of what a session does to one treatment alone
SIDES = ((2, 2), (2, 3), (3, 3), (2, 5), (5, 5))
EDGE = float(np.log1p(MARGIN))
COLUMNS = [f"{number} blocks" for number in BLOCKS]


def campaigns(draw: np.random.Generator, number: int, blocks: int, own: float = 0.0) -> tuple[Floats, Floats]:
    """Logs of a treatment, and of what is unchanged beside it: [PAIRS, number, blocks]."""
    session = draw.normal(0, SESSION, (PAIRS, number, 1))
    treatment, unchanged = (
        session + draw.normal(0, own, (PAIRS, number, 1)) + draw.normal(0, NOISE, (PAIRS, number, blocks))
        for _ in range(2)
    )
    return treatment, unchanged


def wrong(one: Floats, other: Floats, *, pooled: bool) -> Floats:
    """For each pair of samples [PAIRS, n]: whether their interval leaves out 1, which is the truth."""
    return np.asarray(stats.ttest_ind(one, other, axis=1, equal_var=pooled).pvalue < 0.05)


def of_runs(blocks: int, seed: int = 1) -> float:
    """What was done before: Welch's test of the runs of two campaigns."""
    draw = np.random.default_rng([seed, blocks])
    one, other = (campaigns(draw, 1, blocks)[0][:, 0] for _ in range(2))
    return float(wrong(one, other, pooled=False).mean())


def of_relative(blocks: int, own: float = 0.0, seed: int = 2) -> float:
    draw = np.random.default_rng([seed, blocks, round(1e4 * own)])
    one, other = (np.subtract(*campaigns(draw, 1, blocks, own))[:, 0] for _ in range(2))
    return float(wrong(one, other, pooled=False).mean())


def of_sessions(blocks: int, sides: tuple[int, int], own: float = 0.0, seed: int = 3) -> float:
    draw = np.random.default_rng([seed, blocks, *sides])
    one, other = (campaigns(draw, number, blocks, own)[0].mean(axis=2) for number in sides)
    return float(wrong(one, other, pooled=True).mean())


@cache
def rates() -> dict[str, list[float]]:
    """What is compared -> how often it is wrong, by number of blocks."""
    found = {"runs of two campaigns, Welch's test (no longer done)": [of_runs(n) for n in BLOCKS]}
    for own in OWN:
        words = f"; a session favours one treatment by {own:.1%}" if own else ""
        found[f"one session each, relative to an unchanged treatment{words}"] = [
            of_relative(n, own) for n in BLOCKS
        ]
    for sides in SIDES:
        found[f"sessions, {sides[0]} against {sides[1]}"] = [of_sessions(n, sides) for n in BLOCKS]
    own = OWN[-1]
    found[f"sessions, 3 against 3; a session favours one treatment by {own:.1%}"] = [
        of_sessions(n, (3, 3), own) for n in BLOCKS
    ]
    return found


def rows() -> list[str]:
    """Of the table, in Markdown."""
    return [
        f"| {name.replace('%', ' %')} | {' | '.join(f'{100 * rate:.1f} %' for rate in several)} |"
        for name, several in rates().items()
    ]


def estimates(
    number: int, blocks: int, family: int = 1, edge: float = 0.0, noise: float = 1.0
) -> list[sessions.Estimate]:
    """As harness.analysis.sessions tells them, of `number` pairs: each side one session, relative to a treatment."""
    draw, found = np.random.default_rng(4), []
    sides = [[noise * one[:number, 0] for one in campaigns(draw, 1, blocks)] for _ in range(2)]
    for place in range(number):
        one, other = ([(pd.Series(side[0][place]), pd.Series(side[1][place]))] for side in sides)
        one[0] = (one[0][0] + edge, one[0][1])
        found.append(sessions.relative(one, other, "it", family))
    return found
