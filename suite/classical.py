"""What the specs of classifiers without gradient steps over batches have in common: scikit-learn's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suite.classifier import ClassifierSpec
from suite.spec import Arrays, SettingError

SQUARE = 4  # pixels of a side over which a colour picture is averaged


@dataclass(frozen=True)
class ClassicalSpec(ClassifierSpec):
    """Fitted to all samples at once. Every epoch is a whole fit, from nothing and in another order.

    The source names classifiers and data sets, not their constants; ours are documented in each spec.
    """

    source = "Ajel et al. 2023"
    datasets = ("mnist", "digits", "malaria", "synthetic-malaria")

    train_samples: int = 60_000  # at most so many, drawn by the seed

    def __post_init__(self) -> None:
        if self.batch_size != 1:
            raise SettingError(f"{self.name} fits all samples at once: batch_size does not apply")

    def initial_weights(self, seed: int) -> Arrays:
        """Nothing is fitted yet."""
        return {}

    def features(self, x: np.ndarray) -> np.ndarray:
        """uint8 images [n, height, width] -> their pixels, float64 [n, height * width] from 0 to 1.

        Of pictures in colour [n, 64, 64, 3] the means over squares of 4x4 pixels, [n, 768]: about as many features as
        a digit's 784. All 12 288 would make a fit to the cells last for hours.
        """
        if x.ndim == 4:
            n, height, width, channels = x.shape
            squares = x.reshape(n, height // SQUARE, SQUARE, width // SQUARE, SQUARE, channels)
            x = squares.mean(axis=(2, 4))
        return x.reshape(len(x), -1) / 255.0

    def steps_per_epoch(self, samples: int) -> int:
        return 1

    def batch_order(self, samples: int, seed: int, epoch: int) -> np.ndarray:
        """One batch [1, samples used]: the whole fit."""
        shuffled = np.random.default_rng([seed, epoch]).permutation(samples)
        return shuffled[np.newaxis, : self.train_samples]
