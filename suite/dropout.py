"""Dropout: a share of a layer's numbers is left out of a step of training, the others are scaled up by what is left.

Measured runs draw by the framework's own generator, seeded from the weights, so that a run can be repeated: each step
and each site leaves out others. No two frameworks draw alike, so in the proof of equal work all are given the same
masks: arrays [n, ...] among the data, one of each site (Srivastava et al. 2014; scaled in training, not after it).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from suite.fingerprint import of_state
from suite.spec import Arrays

MOST_DROPPED = 0.999  # of the numbers: shares are drawn in steps of 2 ** -16
CHANCE = "dropout"  # in a batch of training: what a framework draws from, where it has to be handed on


@dataclass(frozen=True)
class Site:
    """A place of dropout: the share of the numbers that it leaves out, and the shape of one sample there."""

    rate: float
    shape: tuple[int, ...]


def mask_of(site: str) -> str:
    """The name of its mask among the arrays of a batch."""
    return f"{CHANCE}/{site}"


def masks(sites: Mapping[str, Site], samples: int, seed: int) -> Arrays:
    """For the proof: what each sample keeps at each site, bool [samples, ...]."""
    several = np.random.default_rng(seed).spawn(len(sites))
    return {
        mask_of(name): generator.random((samples, *site.shape), np.float32) >= site.rate
        for generator, (name, site) in zip(several, sites.items(), strict=True)
    }


def seed_of(weights: Arrays) -> int:
    """From 0 to below 2 ** 31."""
    return int(of_state(weights)[:8], 16) >> 1
