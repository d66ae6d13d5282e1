"""NeuMF by NumPy alone, pair by pair, as it was published, and data to hold implementations against it."""

from __future__ import annotations

import numpy as np

from suite.ncf.spec import SPEC
from suite.spec import Arrays

PROVEN = SPEC.with_settings({**SPEC.proof_settings, "batch_size": 16, "dropout": 0.0})
SEED = 20_240_607


def score(weights: Arrays, user: int, item: int) -> float:
    """He et al. 2017, equation 12, before its sigmoid, with the perceptron of equation 10."""
    mine, its = weights["users/embeddings"][user], weights["items/embeddings"][item]
    (p_of_mf, p), (q_of_mf, q) = np.split(mine, [PROVEN.factors]), np.split(its, [PROVEN.factors])
    z = np.concatenate([p, q])
    for number in (1, 2, 3):
        z = np.maximum(weights[f"hidden{number}/kernel"].T @ z + weights[f"hidden{number}/bias"], 0.0)
    h = weights["output/kernel"][:, 0]
    return h @ np.concatenate([p_of_mf * q_of_mf, z]) + weights["output/bias"][0]


def mean_loss(weights: Arrays, batch: Arrays) -> float:
    """Equation 7, of a batch's mean."""
    scores = [score(weights, *pair) for pair in zip(batch["user"], batch["item"], strict=True)]
    chance = 1 / (1 + np.exp(-np.array(scores)))
    return -np.log(np.where(batch["rated"], chance, 1 - chance)).mean()


def some_weights() -> Arrays:
    """Initial ones, but biases that are not 0 and vectors by which scores differ."""
    generator, found = np.random.default_rng(SEED), PROVEN.initial_weights(SEED)
    for name, array in found.items():
        if name.endswith("bias"):
            array += generator.normal(0.0, 0.1, array.shape)
        if name.endswith("embeddings"):
            array *= 50
    return found


def data_of_ratings() -> Arrays:
    return PROVEN.inputs(PROVEN.examples(32, SEED), "float64")
