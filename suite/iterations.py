"""Trainings that are counted in iterations, and not in passes over the data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from suite.neural import NeuralSpec
from suite.spec import Arrays, SettingError, count


@dataclass(frozen=True)
class InIterations(NeuralSpec):
    """Pieces of `evaluate_every` iterations stand for epochs; they go on over the data's ends, shuffled at each."""

    iterations: int = 1000
    evaluate_every: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.iterations % self.evaluate_every:
            raise SettingError(f"{self.name}: evaluate_every must divide iterations, {self.iterations}")

    @property
    def pieces(self) -> int:
        return self.iterations // self.evaluate_every

    def iterations_of(self, piece: int) -> int:
        return piece * self.evaluate_every

    def steps_per_epoch(self, samples: int) -> int:
        return self.evaluate_every if samples >= self.batch_size else 0

    def lasting(self, epochs: int, steps: int) -> InIterations:
        return replace(self, iterations=epochs * steps, evaluate_every=steps)

    def order(self, data: Arrays, seed: int, epoch: int) -> np.ndarray:
        """Of one piece."""
        samples = count(data)
        whole, first = samples // self.batch_size, self.iterations_of(epoch - 1)
        passes = range(first // whole, (first + self.evaluate_every - 1) // whole + 1)
        several = np.concatenate([self.batch_order(samples, seed, number + 1) for number in passes])
        begin = first - passes[0] * whole
        return several[begin : begin + self.evaluate_every]
