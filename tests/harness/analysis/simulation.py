"""Thousands of campaigns at once, of which the truth is known: what the statistics get wrong, and how often.

`rows()` and `courses()` are tables of docs/statistics.md; `python -m tests.bench.error_rates` prints them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from harness.analysis.sequential import every_block, walk
from harness.analysis.verdict import MARGIN, Floats
from tests.harness.analysis.vectorised import equivalent, log_t

CAMPAIGNS, BLOCKS = 20_000, 10
EDGE = float(np.log1p(MARGIN))
LOOKS = every_block(BLOCKS)


@dataclass(frozen=True)
class Machine:
    """Two treatments that cost the same, on a machine that varies; all as shares of the cost.

    noise: standard deviation of each run by itself; drift: from the first run to the last; state: standard deviation
    of what persists from run to run (lag 1: `persistence`); favour: the same, but of the difference between the
    treatments from block to block. `blocked`: random order within blocks, else all runs of one treatment first.
    """

    noise: float = 0.03
    drift: float = 0.0
    state: float = 0.0
    favour: float = 0.0
    persistence: float = 0.7
    blocked: bool = True

    def differences(self, seed: int) -> Floats:
        """log(treatment / reference): shape (CAMPAIGNS, BLOCKS)."""
        draw = np.random.default_rng(seed)
        runs = draw.normal(0, self.noise, (CAMPAIGNS, 2 * BLOCKS))
        runs += self.drift * np.linspace(0, 1, 2 * BLOCKS)
        runs += self.state * self._persisting(draw, 2 * BLOCKS)
        if self.blocked:
            pairs = runs.reshape(CAMPAIGNS, BLOCKS, 2)
            found = (pairs[..., 1] - pairs[..., 0]) * draw.choice([-1.0, 1.0], (CAMPAIGNS, BLOCKS))
        else:
            found = runs[:, BLOCKS:] - runs[:, :BLOCKS]
        return found + self.favour * self._persisting(draw, BLOCKS)

    def _persisting(self, draw: np.random.Generator, length: int) -> Floats:
        """A stationary series of standard deviation 1 in each campaign."""
        steps = draw.normal(size=(CAMPAIGNS, length))
        steps[:, 1:] *= np.sqrt(1 - self.persistence**2)
        for place in range(1, length):
            steps[:, place] += self.persistence * steps[:, place - 1]
        return steps


SOUND = {
    "log-normal noise of 3 %": Machine(),
    "drift of 2 % over the campaign, noise of 1 %, random blocks": Machine(noise=0.01, drift=0.02),
    "state that persists from run to run (2 %, lag 1: 0.7), noise of 1 %, random blocks": Machine(
        0.01, state=0.02
    ),
}
DEGRADED = {
    "the same drift, all runs of one treatment first": Machine(0.01, drift=0.02, blocked=False),
    "the same persisting state, all runs of one treatment first": Machine(0.01, state=0.02, blocked=False),
    "state that favours one treatment and persists from block to block (2 %, lag 1: 0.7), noise of 1 %": Machine(
        0.01, favour=0.02
    ),
}


def interval_misses(differences: Floats) -> float:
    """The headline's 95 % interval after all blocks does not hold the truth, which is 1."""
    _, low, high = log_t(differences)
    return float(((low > 0) | (high < 0)).mean())


def tost_is_wrong(differences: Floats) -> float:
    """Equivalence is claimed after all blocks where the truth lies at the edge of the margin."""
    return float(equivalent(differences + EDGE).mean())


def looks_miss(differences: Floats) -> float:
    """The adaptive interval does not hold the truth at some look, whatever was decided before."""
    path = walk(differences, LOOKS)
    return float(((path.low > 0) | (path.high < 0)).any(axis=1).mean())


def adaptive_misses(differences: Floats) -> float:
    """An adaptive campaign stops with better or worse where nothing differs; it may stop with equivalent before."""
    path = walk(differences, LOOKS)
    last = np.take_along_axis(path.verdicts, path.first[:, None], axis=1)
    return float(np.isin(last, ["better", "worse"]).mean())


def adaptive_tost_is_wrong(differences: Floats) -> float:
    """Equivalence is shown at any look where the truth lies at the edge of the margin."""
    return float(walk(differences + EDGE, LOOKS).equivalent.any(axis=1).mean())


def peeking_misses(differences: Floats) -> float:
    """The fixed interval, looked at after every block as if it were the only time."""
    wrong = np.zeros(len(differences), dtype=bool)
    for blocks in LOOKS.looks:
        _, low, high = log_t(differences[:, :blocks])
        wrong |= (low > 0) | (high < 0)
    return float(wrong.mean())


CLAIMS: dict[str, Callable[[Floats], float]] = {
    "fixed interval": interval_misses,
    "naive peeking": peeking_misses,
    "adaptive interval": looks_miss,
    "adaptive verdict": adaptive_misses,
}
EQUIVALENCE_CLAIMS: dict[str, Callable[[Floats], float]] = {
    "TOST": tost_is_wrong,
    "adaptive TOST": adaptive_tost_is_wrong,
}
COLUMNS = [*CLAIMS, *EQUIVALENCE_CLAIMS]


@cache
def rates() -> dict[str, dict[str, float]]:
    """Machine -> claim -> how often it is wrong.

    TOST can only claim anything where the noise is well below the margin, so its campaigns have a third of the
    spread: the same machine, scaled.
    """
    found = {}
    for seed, (name, machine) in enumerate({**SOUND, **DEGRADED}.items()):
        differences = machine.differences(seed)
        quiet = differences * (EDGE / 6) / differences.std()
        found[name] = {claim: check(differences) for claim, check in CLAIMS.items()}
        found[name] |= {claim: check(quiet) for claim, check in EQUIVALENCE_CLAIMS.items()}
    return found


COURSE = every_block(20)
COURSE_COLUMNS = ["blocks", "better or worse", "equivalent", "inconclusive", "better or worse, all 20 blocks"]


def courses() -> list[str]:
    """Rows of a table: what an adaptive campaign of 3 to 20 blocks comes to at 3 % noise, by the true difference."""
    noise = np.random.default_rng(99).normal(0, 0.03 * np.sqrt(2), (CAMPAIGNS, COURSE.looks[-1]))
    return [_course(saved, noise + np.log1p(-saved)) for saved in (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)]


def _course(saved: float, differences: Floats) -> str:
    path = walk(differences, COURSE)
    verdicts = np.take_along_axis(path.verdicts, path.first[:, None], axis=1)[:, 0]
    blocks = np.array(COURSE.looks)[path.first].mean()
    shares = [
        np.isin(verdicts, one).mean() for one in (["better", "worse"], ["equivalent"], ["inconclusive"])
    ]
    numbers = [f"{100 * share:.0f} %" for share in (*shares, interval_misses(differences))]
    return f"| {100 * saved:.0f} % | {blocks:.1f} | {' | '.join(numbers)} |"


def rows() -> list[str]:
    """Of the table, in Markdown."""
    return [
        f"| {name} | {' | '.join(f'{100 * row[claim]:.1f} %' for claim in COLUMNS)} |"
        for name, row in rates().items()
    ]
