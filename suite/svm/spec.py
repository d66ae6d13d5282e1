"""A support vector classifier on handwritten digits: every number of the workload."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suite.spec import Arrays, Profile, SettingError, Spec


@dataclass(frozen=True)
class Svm(Spec):
    """The source names the classifier and the data set, not its constants; ours are documented here.

    The kernel is exp(-gamma * |a - b|^2) with gamma = 1 / (features * variance of the training features).
    """

    name = "svm"
    title = "Support vector classifier on handwritten digits"
    source = "Ajel et al. 2023"
    datasets = ("mnist", "digits")
    # A fit on the digits takes a twentieth of a second: repeated, so that the window holds enough readings.
    profiles = {"quick": Profile(("digits",), {"epochs": 30, "infer_passes": 30})}  # noqa: RUF012
    quality_floor = {"mnist": 0.96, "digits": 0.97}  # noqa: RUF012 - a ClassVar of the base

    # Every epoch is a whole fit, from nothing and in another order: more of them only widen a short window.
    c: float = 10.0  # the weight of a training error against the margin
    tolerance: float = 0.001  # of the solver's stopping rule
    train_samples: int = 60_000  # at most so many, drawn by the seed; the fit's time grows with the square

    def __post_init__(self) -> None:
        if self.batch_size != 1:
            raise SettingError(f"{self.name} fits all samples at once: batch_size does not apply")

    def initial_weights(self, seed: int) -> Arrays:
        """Nothing is fitted yet."""
        return {}

    def inputs(self, x: np.ndarray) -> np.ndarray:
        """uint8 [n, 28, 28] -> float64 [n, 784] from 0 to 1."""
        return x.reshape(len(x), -1) / 255.0

    def steps_per_epoch(self, samples: int) -> int:
        return 1

    def batch_order(self, samples: int, seed: int, epoch: int) -> np.ndarray:
        """One batch [1, samples used]: the whole fit."""
        shuffled = np.random.default_rng([seed, epoch]).permutation(samples)
        return shuffled[np.newaxis, : self.train_samples]


SPEC = Svm()
