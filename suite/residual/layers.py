"""The layers of a ResNet v1.5, of which workloads of several sizes of image take all or the first stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suite import work
from suite.neural import he_normal
from suite.spec import Arrays

# Depth -> how many blocks each stage has. Published are 50, 101 and 152, of four stages (He et al. 2015, table 1).
# 11 is the least that has a block of every kind, 14 the least of four stages: for proofs and for a quick look.
STAGES = {11: (2, 1), 14: (1, 1, 1, 1), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
STRIDES = (1, 2, 2, 2)  # of the first block of each stage
WIDTHS = (64, 128, 256, 512)  # of a stage's inner convolutions
POOL_SIZE, POOL_STRIDE, POOL_PADDING = 3, 2, 1  # of the maximum after the stem
EXPANSION = 4  # a block gives so many times its width
EPSILON = 1e-5  # of every batch normalisation, on the biased variance
MOMENTUM = 0.9  # what a running statistic keeps per step; the variance takes in the batch's unbiased one
NORM = ("gamma", "beta", "mean", "variance")


@dataclass(frozen=True)
class Layer:
    """A square convolution without bias, and batch normalisation after it; (size - 1) / 2 zeros around, or none."""

    name: str
    channels_in: int
    channels: int
    size: int
    stride: int = 1
    padded: bool = True

    @property
    def padding(self) -> int:
        return (self.size - 1) // 2 if self.padded else 0

    @property
    def norm(self) -> str:
        return f"{self.name}_norm"

    @property
    def names(self) -> tuple[str, ...]:
        """Of its arrays."""
        return f"{self.name}/kernel", *(f"{self.norm}/{word}" for word in NORM)

    def side(self, side: int) -> int:
        """Of the outputs, of an input's."""
        return (side + 2 * self.padding - self.size) // self.stride + 1

    def flops(self, side: int) -> int:
        """Of `side` x `side` outputs."""
        return work.convolution((self.size, self.size, self.channels_in, self.channels), side, side)

    def initial_weights(self, generator: np.random.Generator) -> Arrays:
        """A He-normal convolution; its normalisation starts as the identity."""
        shape = (self.size, self.size, self.channels_in, self.channels)
        norms = {
            f"{self.norm}/{word}": np.full(self.channels, float(word in ("gamma", "variance")))
            for word in NORM
        }
        return {f"{self.name}/kernel": he_normal(generator, shape), **norms}


@dataclass(frozen=True)
class ResidualBlock:
    """relu(last(relu(...)) + shortcut): a ReLU between the layers; the shortcut is the input or its projection."""

    stage: int  # from 1 on
    layers: tuple[Layer, ...]
    projection: Layer | None

    @property
    def channels(self) -> int:
        return self.layers[-1].channels

    @property
    def all_layers(self) -> tuple[Layer, ...]:
        return self.layers if self.projection is None else (*self.layers, self.projection)


STEM = Layer("stem", 3, 64, size=7, stride=2)  # then ReLU and a maximum


def blocks(depth: int, strides: Sequence[int] = STRIDES) -> Iterator[ResidualBlock]:
    """In order, of as many stages as there are `strides`, at most those of the depth."""
    channels = STEM.channels
    for stage, (count, width, first) in enumerate(zip(STAGES[depth], WIDTHS, strides, strict=False), 1):
        for number in range(1, count + 1):
            block = _block(stage, number, channels, width, first if number == 1 else 1)
            yield block
            channels = block.channels


def _block(stage: int, number: int, channels: int, width: int, stride: int) -> ResidualBlock:
    """A bottleneck; v1.5 has the stride in the 3x3 convolution, not in the first."""
    name, wide = f"stage{stage}_block{number}", width * EXPANSION
    layers = (
        Layer(f"{name}_conv1", channels, width, size=1),
        Layer(f"{name}_conv2", width, width, size=3, stride=stride),
        Layer(f"{name}_conv3", width, wide, size=1),
    )
    projection = Layer(f"{name}_projection", channels, wide, size=1, stride=stride)
    return ResidualBlock(stage, layers, None if channels == wide else projection)


def layers_of(several: Iterable[ResidualBlock]) -> Iterator[Layer]:
    """Every convolution, the stem first."""
    yield STEM
    for block in several:
        yield from block.all_layers


def sides(several: Iterable[ResidualBlock], image: int) -> list[int]:
    """Of the features of each stage, of an image of `image` x `image`."""
    side, found = _pooled(STEM.side(image)), {}
    for block in several:
        for one in block.layers:
            side = one.side(side)
        found[block.stage] = side
    return list(found.values())


def flops(several: Iterable[ResidualBlock], image: int) -> list[int]:
    """Of each convolution's products on one image of `image` x `image`, forward."""
    side = STEM.side(image)
    found, side = [STEM.flops(side)], _pooled(side)
    for block in several:
        for one in block.layers:
            side = one.side(side)
            found.append(one.flops(side))
        found += [block.projection.flops(side)] if block.projection else []
    return found


def _pooled(side: int) -> int:
    return (side + 2 * POOL_PADDING - POOL_SIZE) // POOL_STRIDE + 1


def stages(
    x: Any,
    several: Iterable[ResidualBlock],
    layer: Callable[[Layer, Any], Any],
    relu: Callable[[Any], Any],
    pool: Callable[[Any], Any],
) -> list[Any]:
    """The features that each stage ends with: the one order of layers, in which every framework puts its own."""
    x, found = pool(relu(layer(STEM, x))), {}
    for block in several:
        shortcut = x if block.projection is None else layer(block.projection, x)
        *inner, last = block.layers
        for one in inner:
            x = relu(layer(one, x))
        x = found[block.stage] = relu(layer(last, x) + shortcut)
    return list(found.values())
