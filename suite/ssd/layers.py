"""SSD's layers on its backbone, whose number follows from the side of the images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from suite.detection.anchors import default_boxes
from suite.residual.layers import Layer

SMALLEST_HALVED = 6  # features of a side; smaller maps lose their edge instead
EDGE = 2  # features of a side, which a convolution of 3x3 without padding takes off
NARROWED = 2  # a squeezing convolution has so many times fewer channels than what follows it
WIDE_MAPS = 2  # of the additional ones, have all channels; the others have half of them
FIRST_STEP = 8  # pixels between the features of the first map, doubled with each halving
# Shares of the side: the smallest boxes, those of the second map, and those beyond the last one's.
SMALLEST_SIZE, FROM_SIZE, TO_SIZE = 0.07, 0.15, 1.05
FEW_RATIOS, MORE_RATIOS = (2,), (2, 3)  # of the first map and of the last two; of the others


@dataclass(frozen=True)
class Extra:
    """Two convolutions after the map before, each with a ReLU; their output is the next map."""

    squeeze: Layer
    spread: Layer

    @property
    def layers(self) -> tuple[Layer, Layer]:
        return self.squeeze, self.spread


def extras(channels: int, side: int, wide: int) -> Iterator[Extra]:
    """After a first map of so many channels and `side` x `side` features, until nothing can follow."""
    number = 1
    while side > EDGE:
        out = wide if number <= WIDE_MAPS else wide // 2
        halved = side >= SMALLEST_HALVED
        squeeze = Layer(f"extra{number}_squeeze", channels, out // NARROWED, size=1)
        spread = Layer(
            f"extra{number}_spread", out // NARROWED, out, size=3, stride=2 if halved else 1, padded=halved
        )
        yield Extra(squeeze, spread)
        channels, side, number = out, spread.side(side), number + 1


def ratios(maps: int) -> list[Sequence[int]]:
    """Of the boxes of each map."""
    return [MORE_RATIOS if 0 < number < maps - 2 else FEW_RATIOS for number in range(maps)]


def shapes(ratios_of_a_map: Sequence[int]) -> int:
    """Boxes at each place."""
    return 2 + 2 * len(ratios_of_a_map)


def defaults(side: int, maps: Sequence[int]) -> np.ndarray:
    """Boxes [n, 4] of an image of `side` pixels with maps of so many features a side; of 300 the published ones."""
    halved = [number for number, one in enumerate(maps[:-1]) if one >= SMALLEST_HALVED]
    steps = [
        FIRST_STEP * 2**number if number <= len(halved) else side / one for number, one in enumerate(maps)
    ]
    sizes = np.round(side * np.array([SMALLEST_SIZE, *np.linspace(FROM_SIZE, TO_SIZE, len(maps))]))
    return default_boxes(side, maps, steps, sizes.tolist(), ratios(len(maps)))
