"""A random forest on images: every number of the workload."""

from __future__ import annotations

from dataclasses import dataclass

from suite.classical import ClassicalSpec
from suite.spec import Profile


@dataclass(frozen=True)
class RandomForest(ClassicalSpec):
    """Trees grown to pure leaves by the Gini impurity, each on a bootstrap sample, sqrt(features) tried a node.

    The forest's own draws have a fixed seed; the order of the samples, by the campaign's seed, makes forests differ.
    """

    name = "random_forest"
    title = "Random forest on handwritten digits or blood cells"
    profiles = {"quick": Profile(("digits",), {"epochs": 2, "infer_passes": 60})}  # noqa: RUF012
    # Of the cells: on 3 200 of them, in grey, a fit reaches 0.74.
    quality_floor = {"mnist": 0.95, "digits": 0.94, "malaria": 0.65, "synthetic-malaria": 0.95}  # noqa: RUF012

    trees: int = 100
    draws_seed: int = 1


SPEC = RandomForest()
