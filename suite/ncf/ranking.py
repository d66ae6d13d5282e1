"""How well the one item that a user has rated is ranked among its candidates."""

from __future__ import annotations

import numpy as np

TOP = 10  # items of a ranking


def judged(item: np.ndarray, ranked: np.ndarray) -> dict[str, float]:
    """Hit rate and NDCG of the rated items [n] in the rankings [n, 10], the best first.

    With one relevant item the discounted gain is 1 / log2(place + 1), places counted from 1, and its ideal is 1.
    """
    hits = ranked == item[:, np.newaxis]
    gains = 1 / np.log2(np.arange(ranked.shape[1]) + 2)
    return {"hit_rate": float(hits.any(axis=1).mean()), "ndcg": float((hits @ gains).mean())}
