"""Multinomial logistic regression on images: every number of the workload."""

from __future__ import annotations

from dataclasses import dataclass

from suite.classical import ClassicalSpec
from suite.spec import Profile


@dataclass(frozen=True)
class LogisticRegression(ClassicalSpec):
    """Minimises mean cross-entropy + |weights|^2 / (2 * c * samples), intercepts free, by L-BFGS from zeros."""

    name = "logistic_regression"
    title = "Logistic regression on handwritten digits or blood cells"
    # A fit on the digits takes a fifth of a second: repeated, so that the window holds enough readings.
    profiles = {"quick": Profile(("digits",), {"epochs": 8, "infer_passes": 500})}  # noqa: RUF012
    # Of the cells: on 3 200 of them, in grey, a fit reaches 0.63.
    quality_floor = {"mnist": 0.9, "digits": 0.93, "malaria": 0.55, "synthetic-malaria": 0.95}  # noqa: RUF012

    c: float = 1.0  # the weight of training errors against large weights
    iterations: int = (
        100  # at most; on digits all of them are taken, which makes the work the same every time
    )
    tolerance: float = 0.0001  # of the largest entry of the gradient, below which it is done


SPEC = LogisticRegression()
