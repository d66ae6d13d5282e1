"""A ResNet that tells of an image which class it is: a dense layer on the means of its last features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suite import work
from suite.neural import glorot_uniform
from suite.residual import layers
from suite.residual.layers import ResidualBlock, layers_of
from suite.spec import Arrays


def pooled(blocks: Sequence[ResidualBlock]) -> int:
    """Means over the image, into the dense layer."""
    return blocks[-1].channels


def flops(blocks: Sequence[ResidualBlock], image: int, classes: int) -> list[int]:
    """Of each layer's products on one image of `image` x `image`, forward."""
    return [*layers.flops(blocks, image), work.product((pooled(blocks), classes))]


def initial_weights(blocks: Sequence[ResidualBlock], classes: int, seed: int) -> Arrays:
    """He-normal convolutions, Glorot-uniform dense layer; normalisation starts as the identity."""
    generator = np.random.default_rng(seed)
    weights: Arrays = {}
    for one in layers_of(blocks):
        weights |= one.initial_weights(generator)
    weights["dense/kernel"] = glorot_uniform(generator, (pooled(blocks), classes))
    weights["dense/bias"] = np.zeros(classes)
    return weights
