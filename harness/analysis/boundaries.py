"""Critical t values for looking several times at growing data, exact at every sample size (rule R34).

Normal theory is far off after three blocks, so the distribution of the t statistics over the looks is integrated. Of
n normal values without effect, R = sum / root of the sum of squares does not know their scale, and
R' = (R + u) / sqrt(1 + u^2) with the next value, where u * sqrt(n) has Student's t distribution with n degrees and is
independent of every R before: a Markov chain in one dimension. With R = sqrt(n) sin(angle), t = sqrt(n - 1)
tan(angle). Sources: Jennison and Turnbull 1991, Biometrika 78:133 (exact sequential t-tests); Lan and DeMets 1983,
Biometrika 70:659 (spending).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import scipy

from harness.analysis.verdict import Floats

CELLS = (
    300  # of the grid over the angle; the error of a critical value is under 0.1 % up to 30 blocks (tests)
)
RIGHT = np.pi / 2
EDGE = RIGHT - 1e-12
NEGLIGIBLE = 1e-9  # a probability that is left to the next look, or cut off from the tails


def pocock(part: float, alpha: float) -> float:
    """Spends early: quick for big effects. Lan and DeMets' function for boundaries like Pocock's, on each side."""
    return float(alpha * np.log1p((np.e - 1) * part))


def obrien_fleming(part: float, alpha: float) -> float:
    """Saves for the end: late for big effects, nearly a fixed test at the last look."""
    return float(2 * scipy.stats.norm.sf(scipy.stats.norm.isf(alpha / 2) / np.sqrt(part)))


SPENDING: dict[str, Callable[[float, float], float]] = {"pocock": pocock, "obrien-fleming": obrien_fleming}


@lru_cache(maxsize=64)
def critical_t(
    looks: tuple[int, ...], alpha: float, spending: str, sides: int = 2, cells: int = CELLS
) -> tuple[float, ...]:
    """One value a look: without effect, t (|t| for two sides) exceeds its value at any look with probability alpha.

    `looks`: rising numbers of blocks, at least 2; a name of SPENDING; 1 or 2 sides.
    """
    found, spent = [], 0.0
    ratios, weights = np.array([-1.0, 1.0]), np.array([0.5, 0.5])  # R of a single value is its sign
    for n in range(2, looks[-1] + 1):
        edge = tail = _of_student(NEGLIGIBLE, n)
        if n in looks:
            share = SPENDING[spending](n / looks[-1], alpha / sides) - spent
            if share > NEGLIGIBLE:
                edge = _edge(ratios, weights, n, share) if spent else _of_student(share, n)
                spent += share
            found.append(float(np.sqrt(n - 1) * np.tan(edge)) if share > NEGLIGIBLE else np.inf)
        if n < looks[-1]:
            angles = (-edge if sides == 2 else -tail, edge)
            ratios, weights = _going_on(ratios, weights, n, np.linspace(*angles, cells + 1), sides == 2)
    return tuple(found)


def _of_student(share: float, n: int) -> float:
    """The angle that one look at n values exceeds with probability `share`: exact, where the grid is coarse far out."""
    return float(np.arctan(scipy.stats.t.isf(share, n - 1) / np.sqrt(n - 1)))


def _edge(ratios: Floats, weights: Floats, n: int, share: float) -> float:
    """The angle that is exceeded with probability `share` among those that went on."""

    def excess(angle: float) -> float:
        return float(weights @ _exceeding(np.sqrt(n) * np.sin(angle), ratios, n - 1)) - share

    return float(scipy.optimize.brentq(excess, 0.0, RIGHT, xtol=1e-13))


def _going_on(
    ratios: Floats, weights: Floats, n: int, edges: Floats, mirrored: bool
) -> tuple[Floats, Floats]:
    """The distribution of R after n values, over cells of equal angle between those at which one stops.

    `mirrored`: both sides are alike, so that the upper one tells the lower.
    """
    cells = len(edges) - 1
    alike = mirrored and cells % 2 == 0
    border = np.sqrt(n) * np.sin(edges[cells // 2 :] if alike else edges)
    over = _exceeding(border[:, None], ratios, n - 1)
    into = (over[:-1] - over[1:]) @ weights
    middles = np.sqrt(n) * np.sin((edges[1:] + edges[:-1]) / 2)
    return middles, np.concatenate([into[::-1], into]) if alike else into


def _exceeding(border: Floats, ratios: Floats, n: int) -> Floats:
    """P(R' > border) for each R after n values. With u = tan(f), R' = sqrt(1 + R^2) sin(f + arctan R)."""
    turn, at = np.arctan(ratios), np.arcsin(np.clip(border / np.sqrt(1 + ratios**2), -1, 1))
    return np.asarray(
        _below(np.pi - at - turn, n) - _below(at - turn, n) + _below(-np.pi - at - turn, n), dtype=np.float64
    )


def _below(angle: Floats, n: int) -> Floats:
    """P(f <= angle) where tan(f) * sqrt(n) has Student's t distribution with n degrees of freedom."""
    ends = np.clip(angle, -EDGE, EDGE)
    within = ~(np.abs(ends) >= EDGE)  # mostly a third: at the ends it is the same for all
    least, most = _student(np.array([-EDGE, EDGE]), n)
    found: Floats = np.where(ends < 0, least, most)
    found[within] = _student(ends[within], n)
    return found


def _student(angle: Floats, n: int) -> Floats:
    return np.asarray(scipy.special.stdtr(n, np.sqrt(n) * np.tan(angle)), dtype=np.float64)
