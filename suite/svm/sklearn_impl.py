"""The support vector classifier in scikit-learn, that is libsvm on one thread."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from suite.svm.spec import Svm
from suite.trainers.sklearn_trainer import Trainer


class Impl(Trainer):
    spec: Svm

    numbers = np.float64  # libsvm's, whatever the input

    def classifier(self) -> SVC:
        spec = self.spec
        return SVC(C=spec.c, kernel="rbf", gamma="scale", tol=spec.tolerance, cache_size=1000)
