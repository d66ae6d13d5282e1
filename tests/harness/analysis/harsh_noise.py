"""Intervals where noise is not what they assume: skewed, outlying, persisting. Rows of docs/statistics.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from harness.analysis.order import lag1
from harness.analysis.robust import sign_flip_interval
from harness.analysis.simultaneous import critical_t
from harness.analysis.verdict import Floats
from tests.harness.analysis.null_campaigns import exponential, largest_t, normal, t3
from tests.harness.analysis.vectorised import log_t

CAMPAIGNS, FLIPPED, BLOCKS = 20_000, 4000, 10
OUTLIER, SHARE = np.log(10), 0.05
Draw = np.random.Generator


def outlying(draw: Draw, shape: tuple[int, ...]) -> Floats:
    """One run in twenty takes ten times as long."""
    return draw.normal(0, 0.03, shape) + OUTLIER * (draw.random(shape) < SHARE)


def both(noise: Callable[[Draw, tuple[int, ...]], Floats]) -> Callable[[Draw, tuple[int, int]], Floats]:
    """The same noise in treatment and reference."""
    return lambda draw, shape: noise(draw, shape) - noise(draw, shape)


def one_sided(draw: Draw, shape: tuple[int, int]) -> Floats:
    """Less the true logarithm of the ratio, which the outliers raise to 1.12."""
    return outlying(draw, shape) - draw.normal(0, 0.03, shape) - SHARE * OUTLIER


def persisting(rho: float) -> Callable[[Draw, tuple[int, int]], Floats]:
    def of(draw: Draw, shape: tuple[int, int]) -> Floats:
        found = draw.normal(size=shape)
        found[:, 1:] *= np.sqrt(1 - rho**2)
        for place in range(1, shape[1]):
            found[:, place] += rho * found[:, place - 1]
        return found

    return of


SHAPES: dict[str, Callable[[Draw, tuple[int, int]], Floats]] = {
    "log-normal noise in both": both(normal),
    "heavy tails (t3) in both": both(t3),
    "skewed (exponential) in both": both(exponential),
    "one run in 20 takes 10 times as long, in both": both(outlying),
    "one run in 20 takes 10 times as long, in one alone (true ratio 1.12)": one_sided,
    "differences persist from block to block, lag 1: 0.3": persisting(0.3),
    "differences persist from block to block, lag 1: 0.6": persisting(0.6),
}
SHAPE_COLUMNS = ["log-t, 5 blocks", "log-t", "sign-flip", "log-t, 30 blocks", "mean lag 1 of the differences"]


@cache
def coverage() -> dict[str, dict[str, float]]:
    """Shape -> column -> how often the interval holds the true ratio."""
    found = {}
    for seed, (name, draw_from) in enumerate(SHAPES.items()):
        draw = np.random.default_rng(seed)
        five, ten, thirty = (draw_from(draw, (CAMPAIGNS, blocks)) for blocks in (5, BLOCKS, 30))
        found[name] = {
            "log-t, 5 blocks": _covered(five),
            "log-t": _covered(ten),
            "sign-flip": float(np.mean([_flip_covers(one) for one in ten[:FLIPPED]])),
            "log-t, 30 blocks": _covered(thirty),
            "mean lag 1 of the differences": float(np.mean([lag1(one) for one in ten[:FLIPPED]])),
        }
    return found


def _covered(values: Floats) -> float:
    _, low, high = log_t(values)
    return float(((low <= 0) & (high >= 0)).mean())


def _flip_covers(values: Floats) -> bool:
    low, high = sign_flip_interval(values)
    return low is not None and high is not None and low <= 1 <= high


TABLES = [(2, 5), (3, 5), (6, 5), (10, 5), (20, 5), (2, 30), (10, 30), (20, 30)]
FAMILY_COLUMNS = [
    "each ratio by itself", "simultaneous", "the same, reference ten times quieter", "the same, ten times noisier",
    "the same, t3 noise", "the same, exponential noise",
]  # fmt: skip


@cache
def family_rates() -> dict[tuple[int, int], list[float]]:
    """(treatments, blocks) -> FAMILY_COLUMNS: null campaigns with any interval beside 1."""
    return {size: _family(*size) for size in TABLES}


def _family(treatments: int, blocks: int) -> list[float]:
    normal_t = largest_t(treatments, blocks, CAMPAIGNS)[1]
    c = critical_t(blocks, treatments - 1)
    harsh = [
        largest_t(treatments, blocks, CAMPAIGNS // 2, noise, reference)[1]
        for noise, reference in ((normal, 0.1), (normal, 10.0), (t3, 1.0), (exponential, 1.0))
    ]
    rates = [normal_t > critical_t(blocks, 1), normal_t > c, *(one > c for one in harsh)]
    return [float(one.mean()) for one in rates]


def lowest_as_reference(treatments: int, blocks: int) -> float:
    """What it costs to pick the reference by its mean, as is tempting: null campaigns with any better or worse."""
    noise = np.random.default_rng(1).normal(size=(CAMPAIGNS // 4, treatments, blocks))
    lowest = noise.mean(-1).argmin(-1)
    reference = np.take_along_axis(noise, lowest[:, None, None], axis=1)
    found = noise - reference
    error = found.std(-1, ddof=1) / np.sqrt(blocks)
    t = np.divide(found.mean(-1), error, out=np.zeros_like(error), where=error > 0)
    return float((np.abs(t) > critical_t(blocks, 1)).any(-1).mean())


def shape_rows() -> list[str]:
    return [_row(name, [row[column] for column in SHAPE_COLUMNS]) for name, row in coverage().items()]


def family_rows() -> list[str]:
    return [_row(f"{k} treatments, {n} blocks", rates) for (k, n), rates in family_rates().items()]


def _row(name: str, shares: list[float]) -> str:
    *rates, last = shares
    ending = f"{last:+.2f}" if name in SHAPES else f"{100 * last:.1f} %"
    return f"| {name} | {' | '.join(f'{100 * one:.1f} %' for one in rates)} | {ending} |"
