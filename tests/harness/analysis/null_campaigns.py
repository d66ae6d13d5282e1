"""Simulated campaigns of several treatments that all cost the same, and what is found in them all the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.analysis.verdict import Floats

Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]


def normal(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return draw.normal(size=shape)


def t3(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return draw.standard_t(3, size=shape)


def exponential(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Skewed: a run may only take longer."""
    return draw.exponential(size=shape)


NOISES: dict[str, Noise] = {"log-normal": normal, "t3": t3, "exponential": exponential}


def differences(
    treatments: int, blocks: int, campaigns: int, noise: Noise = normal, reference_noise: float = 1.0
) -> Floats:
    """log(treatment / reference), shape (campaigns, treatments - 1, blocks); of each run its own noise."""
    draw = np.random.default_rng([treatments, blocks])
    others = noise(draw, (campaigns, treatments - 1, blocks))
    reference = reference_noise * noise(draw, (campaigns, 1, blocks))
    return others - reference


def largest_t(
    treatments: int, blocks: int, campaigns: int, noise: Noise = normal, reference_noise: float = 1.0
) -> tuple[Floats, Floats]:
    """Over the ratios of each campaign: the largest t, and the largest |t|."""
    found = differences(treatments, blocks, campaigns, noise, reference_noise)
    t = found.mean(-1) / (found.std(-1, ddof=1) / np.sqrt(blocks))
    return t.max(-1), np.abs(t).max(-1)
