"""The floating point operations of a network, by arithmetic on its shapes.

Counted are the multiplications and additions of convolutions and matrix products, 2 for each pair, as if every output
were computed in full; padding counts as data. Not counted is all else: biases, activations, pooling, normalisation,
the loss, the optimiser. It is the work that the mathematics asks for, whatever a framework's kernels really execute.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod


def convolution(kernel: Sequence[int], rows: int, columns: int) -> int:
    """Of one sample: kernel [height, width, in, out], `rows` x `columns` outputs."""
    return 2 * prod(kernel) * rows * columns


def product(kernel: Sequence[int], times: int = 1) -> int:
    """Of one sample: `times` rows by a matrix [in, out]."""
    return 2 * prod(kernel) * times


def training(layers: Sequence[int]) -> int:
    """Forward, the gradients of the weights, and those of the inputs; nobody needs those of the first layer's."""
    return 3 * sum(layers) - layers[0]
