"""A support vector classifier on images: every number of the workload."""

from __future__ import annotations

from dataclasses import dataclass

from suite.classical import ClassicalSpec
from suite.spec import Profile


@dataclass(frozen=True)
class Svm(ClassicalSpec):
    """The kernel is exp(-gamma * |a - b|^2) with gamma = 1 / (features * variance of the training features)."""

    name = "svm"
    title = "Support vector classifier on handwritten digits or blood cells"
    # A fit on the digits takes a twentieth of a second: repeated, so that the window holds enough readings.
    profiles = {"quick": Profile(("digits",), {"epochs": 30, "infer_passes": 30})}  # noqa: RUF012
    # Of the cells: on 3 200 of them, in grey, a fit reaches 0.68.
    quality_floor = {"mnist": 0.96, "digits": 0.97, "malaria": 0.6, "synthetic-malaria": 0.95}  # noqa: RUF012

    # The fit's time grows with the square of the samples.
    c: float = 10.0  # the weight of a training error against the margin
    tolerance: float = 0.001  # of the solver's stopping rule


SPEC = Svm()
