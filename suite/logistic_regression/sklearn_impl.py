"""Logistic regression in scikit-learn, whose products BLAS computes on all threads."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from suite.trainers.sklearn_trainer import Trainer

# The spec's number of iterations is the work, converged or not.
warnings.filterwarnings("ignore", category=ConvergenceWarning)


class Impl(Trainer):
    spec: LogisticRegression

    def classifier(self) -> LogisticRegression:
        spec = self.spec
        return LogisticRegression(C=spec.c, max_iter=spec.iterations, tol=spec.tolerance)
