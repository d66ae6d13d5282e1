"""The support vector classifier in scikit-learn, that is libsvm on one thread."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from suite.spec import Arrays
from suite.svm.spec import Svm

Data = tuple[np.ndarray, np.ndarray]


class Impl:
    def __init__(self, spec: Svm, weights: Arrays, dtype: str, device: str) -> None:
        self.model = SVC(C=spec.c, kernel="rbf", gamma="scale", tol=spec.tolerance, cache_size=1000)
        for name, array in weights.items():
            setattr(self.model, name, array if array.ndim else array.item())

    def place(self, x: np.ndarray, y: np.ndarray) -> Data:
        """libsvm computes in float64 whatever the input: converted here, once, rather than in every call."""
        return np.ascontiguousarray(x, np.float64), y.astype(np.int64)

    def compile(self, data: Data, stage: str) -> None:
        """Nothing to compile."""

    def train(self, data: Data, order: np.ndarray) -> None:
        images, labels = data
        self.model.fit(images[order[0]], labels[order[0]])

    def predict(self, data: Data) -> np.ndarray:
        """One-hot votes [n, classes]: the argmax of the decision values is not always what SVC predicts."""
        classes = self.model.classes_
        return (self.model.predict(data[0])[:, np.newaxis] == classes).astype(float)

    def params(self) -> Arrays:
        """The fitted attributes as arrays; scikit-learn's own mark of fitted state is the underscore."""
        fitted = (name for name in vars(self.model) if "_" in (name[0], name[-1]))
        arrays = {name: np.asarray(getattr(self.model, name)) for name in fitted}
        return {name: array for name, array in arrays.items() if array.dtype.kind in "biuf"}
