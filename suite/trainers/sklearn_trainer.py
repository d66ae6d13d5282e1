"""Fitting and predicting in scikit-learn; there is one way of execution, on as many threads as the runtime allows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from suite.classical import ClassicalSpec
from suite.fingerprint import Epoch
from suite.spec import Arrays
from suite.task import INFER, SCORES


class Trainer(ABC):
    numbers: type = np.float32  # in which it computes

    def __init__(self, spec: Any, weights: Arrays, dtype: str, device: str) -> None:
        self.spec: ClassicalSpec = spec
        self.model: Any = self.classifier()
        if weights:
            self.restore(weights)

    @abstractmethod
    def classifier(self) -> ClassifierMixin:
        """The estimator, not yet fitted."""

    def place(self, data: Arrays) -> Arrays:
        """Converted here, once, rather than in every call."""
        placed: Arrays = {"x": np.ascontiguousarray(data["x"], self.numbers)}
        return placed | {name: data[name].astype(np.int64) for name in self.spec.targets if name in data}

    def compile(self, data: Arrays, stage: str) -> None:  # noqa: B027
        """Nothing to compile."""

    def train(self, data: Arrays, order: np.ndarray) -> Epoch:
        self.model.fit(data["x"][order[0]], data["y"][order[0]])
        return Epoch(np.empty(0), order[:1])

    def infer(self, data: Arrays, rows: np.ndarray, stage: str = INFER) -> Arrays:
        """One-hot votes [n, classes]: the argmax of a classifier's scores is not always what it predicts."""
        predicted = self.model.predict(data["x"][rows])
        return {SCORES: (predicted[:, np.newaxis] == self.model.classes_).astype(float)}

    def params(self) -> Arrays:
        """The fitted attributes as arrays; scikit-learn's own mark of fitted state is the underscore."""
        fitted = (name for name in vars(self.model) if "_" in (name[0], name[-1]))
        arrays = {name: np.asarray(getattr(self.model, name)) for name in fitted}
        return {name: array for name, array in arrays.items() if array.dtype.kind in "biuf"}

    def restore(self, weights: Arrays) -> None:
        """The fitted state as `params` gave it."""
        for name, array in weights.items():
            setattr(self.model, name, array if array.ndim else array.item())
