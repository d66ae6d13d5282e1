"""The random forest in scikit-learn, its trees side by side on all threads."""

from __future__ import annotations

from sklearn.ensemble import RandomForestClassifier

from suite.random_forest import trees
from suite.random_forest.spec import RandomForest
from suite.spec import Arrays
from suite.trainers.sklearn_trainer import Trainer


class Impl(Trainer):
    spec: RandomForest

    def classifier(self) -> RandomForestClassifier:
        return RandomForestClassifier(self.spec.trees, random_state=self.spec.draws_seed)

    def params(self) -> Arrays:
        return trees.arrays_of(self.model)

    def restore(self, weights: Arrays) -> None:
        trees.restore(self.model, weights)
