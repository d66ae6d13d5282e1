"""A toy whose training shows which numbers it left out.

The loss is the sum of two rows of weights after dropout, each at a site of its own. So by plain SGD a weight that was
kept moves by learning_rate / (1 - rate), and one that was left out stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from suite.dropout import Site
from suite.neural import NeuralSpec
from suite.spec import Arrays
from suite.task import Metric

WIDTH = 4000
SITES = {"first": Site(0.2, (WIDTH,)), "second": Site(0.5, (WIDTH,))}


@dataclass(frozen=True)
class Coin(NeuralSpec):
    name = "coin"
    title = "Coins that are tossed"
    source = "none"
    datasets = ("coin",)
    metrics = (Metric("mean", "mean"),)

    learning_rate: float = 1.0
    momentum: float = 0.0
    predict_batch_size: int = 1

    def initial_weights(self, seed: int) -> Arrays:
        return {"rows/embeddings": np.random.default_rng(seed).normal(size=(len(SITES), WIDTH))}

    def inputs(self, raw: Arrays, dtype: str) -> Arrays:
        return {"x": raw["x"].astype(dtype)}

    def sites(self) -> Mapping[str, Site]:
        return SITES

    def examples(self, count: int, seed: int) -> Arrays:
        return {"x": np.ones((count, len(SITES)))}

    def evaluate(self, data: Arrays, outputs: Arrays) -> dict[str, float]:
        return {"mean": float(outputs["kept"].mean())}


class Premade(Coin):
    premade = True


SPEC, PREMADE = Coin(), Premade()
