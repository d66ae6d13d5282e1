"""What the specs of all classifiers have in common: features x, integer labels y, and a score for each class."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from suite.metrics import classification
from suite.spec import Arrays, Spec
from suite.task import CLASSIFICATION, SCORES, Metric

ROWS_AT_ONCE = (
    1024  # the whole of a large set in float64 would be the peak of a run's memory, which is a result
)


@dataclass(frozen=True)
class ClassifierSpec(Spec):
    """Data are {"x": [n, ...], "y": [n]}, outputs {"scores": [n, classes]}."""

    metrics: ClassVar[tuple[Metric, ...]] = CLASSIFICATION
    targets: ClassVar[tuple[str, ...]] = ("y",)

    @abstractmethod
    def features(self, x: np.ndarray) -> np.ndarray:
        """Raw features as stored -> features as the model takes them: float64, or whole numbers that name things.

        Each row depends on nothing but itself.
        """

    def inputs(self, raw: Arrays, dtype: str) -> Arrays:
        """`features` a few rows at once; the numbers of words and of items stay whole."""
        x = raw["x"]
        first = self.features(x[:1])
        found = np.empty((len(x), *first.shape[1:]), first.dtype if first.dtype.kind in "iu" else dtype)
        for start in range(0, len(x), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            found[rows] = self.features(x[rows])
        return {**raw, "x": found}

    def classes_of(self, data: Arrays) -> np.ndarray:
        return data["y"]

    def evaluate(self, data: Arrays, outputs: Arrays) -> dict[str, float]:
        return classification(data["y"], outputs[SCORES])
