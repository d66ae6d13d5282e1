"""ResNets as they are published for PyTorch: names and shapes, written apart from suite/, in random numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

BLOCKS = {11: (2, 1), 14: (1, 1, 1, 1), 18: (2, 2, 2, 2), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3)}
PLAIN = (18,)  # of two 3x3 convolutions a block


def shapes(depth: int, classes: int, narrowing: int = 1) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Convolutions [out, in, height, width]; `narrowing`: by which channels are fewer."""
    inside = 64 // narrowing
    yield from _convolution("conv1", "bn1", (inside, 3, 7, 7))
    expansion = 1 if depth in PLAIN else 4
    for stage, count in enumerate(BLOCKS[depth]):
        width = 64 * 2**stage // narrowing
        for number in range(count):
            place = f"layer{stage + 1}.{number}."
            kernels = [(width, inside, 1, 1), (width, width, 3, 3), (width * 4, width, 1, 1)]
            if depth in PLAIN:
                kernels = [(width, inside, 3, 3), (width, width, 3, 3)]
            for index, kernel in enumerate(kernels, 1):
                yield from _convolution(f"{place}conv{index}", f"{place}bn{index}", kernel)
            if inside != width * expansion:
                kernel = (width * expansion, inside, 1, 1)
                yield from _convolution(f"{place}downsample.0", f"{place}downsample.1", kernel)
            inside = width * expansion
    yield "fc.weight", (classes, inside)
    yield "fc.bias", (classes,)


def _convolution(name: str, norm: str, kernel: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", kernel
    for word in ("weight", "bias", "running_mean", "running_var"):
        yield f"{norm}.{word}", kernel[:1]
    yield f"{norm}.num_batches_tracked", ()


def state(depth: int, classes: int = 1000, seed: int = 0, narrowing: int = 1) -> dict[str, np.ndarray]:
    """A trained network's numbers, float32: no two of them alike, variances positive."""
    generator = np.random.default_rng(seed)
    return {name: _numbers(generator, name, shape) for name, shape in shapes(depth, classes, narrowing)}


def _numbers(generator: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    word = name.rpartition(".")[2]
    if word == "num_batches_tracked":
        return np.array(5005, np.int64)
    if word == "running_var":
        return generator.uniform(0.5, 2.0, shape).astype(np.float32)
    if len(shape) > 1:
        scale = np.sqrt(2.0 / np.prod(shape[1:]))
        return generator.normal(0.0, scale, shape).astype(np.float32)
    middle = 1.0 if word == "weight" else 0.0  # of a normalisation's scale
    return generator.normal(middle, 0.1, shape).astype(np.float32)
