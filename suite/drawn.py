"""Weights too many to be drawn at once in 64 bits: each is drawn when it is asked for, and kept by nobody here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

Shape = tuple[int, ...]
Draw = Callable[[np.random.Generator, str, Shape], np.ndarray]


class Drawn(Mapping[str, np.ndarray]):
    """By `draw`, of a name and its shape; the same whenever it is asked for, whatever was asked for before."""

    def __init__(self, shapes: Mapping[str, Shape], seed: int | list[int], draw: Draw) -> None:
        self._shapes, self._seed, self._draw = shapes, np.atleast_1d(seed), draw
        self._numbers = {name: number for number, name in enumerate(shapes)}

    def __getitem__(self, name: str) -> np.ndarray:
        generator = np.random.default_rng([*self._seed, self._numbers[name]])
        return self._draw(generator, name, self._shapes[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)
