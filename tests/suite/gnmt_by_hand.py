"""GNMT once more, by NumPy: one sentence at a time, so that there is no padding, nor any mask of it.

The equations of Wu et al. 2016 and Bahdanau et al. 2015 as `suite/gnmt/spec.py` writes them, without its code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

BEGIN, END = 2, 3


class ByHand:
    """`left`: of each site what a sentence keeps there in training, [words, width]; none in other stages."""

    def __init__(
        self, weights: dict[str, np.ndarray], layers: int, left: Any = None, share: float = 1.0
    ) -> None:
        self.weights, self.layers, self.left, self.share = weights, layers, left or {}, share

    def logits(self, source: Sequence[int], given: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Words and those before each -> logits [words, vocabulary], and to what attention was paid."""
        encoded = self._encoded(source)
        x = self._lstm("decoder1", self._left(self._vectors(given), "decoder1"))
        paid = np.array([self._attention(state, encoded) for state in x])
        told = paid @ encoded
        for number in range(2, self.layers + 1):
            name = f"decoder{number}"
            seen = self._lstm(name, self._left(np.concatenate([x, told], axis=1), name))
            x = seen + x if number > 2 else seen
        return x @ self.weights["dense/kernel"] + self.weights["dense/bias"], paid

    def _encoded(self, source: Sequence[int]) -> np.ndarray:
        x = self._left(self._vectors(source), "encoder1")
        x = np.concatenate(
            [self._lstm("encoder1_forward", x), self._lstm("encoder1_backward", x[::-1])[::-1]], axis=1
        )
        for number in range(2, self.layers + 1):
            seen = self._lstm(f"encoder{number}", self._left(x, f"encoder{number}"))
            x = seen + x if number > 2 else seen
        return x

    def _vectors(self, words: Sequence[int]) -> np.ndarray:
        return self.weights["embedding/embeddings"][np.array(words)]

    def _left(self, x: np.ndarray, site: str) -> np.ndarray:
        return x * self.left[site][: len(x)] / self.share if self.left else x

    def _lstm(self, name: str, several: np.ndarray) -> np.ndarray:
        kernel, recurrent, bias = (
            self.weights[f"{name}/{word}"] for word in ("kernel", "recurrent_kernel", "bias")
        )
        h = c = np.zeros(len(recurrent))
        states = []
        for x in several:
            i, f, g, o = np.split(x @ kernel + h @ recurrent + bias, 4)
            c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
            h = _sigmoid(o) * np.tanh(c)
            states.append(h)
        return np.array(states)

    def _attention(self, state: np.ndarray, encoded: np.ndarray) -> np.ndarray:
        vector, scale, bias = (self.weights[f"attention/{name}"] for name in ("vector", "scale", "bias"))
        query = state @ self.weights["attention_query/kernel"]
        keys = encoded @ self.weights["attention_keys/kernel"]
        energy = scale[0] * np.tanh(keys + query + bias) @ (vector / np.sqrt(np.sum(vector**2)))
        return np.exp(energy) / np.exp(energy).sum()


def loss(logits: np.ndarray, wanted: Sequence[int], smoothing: float) -> float:
    """The sum over a sentence's words."""
    chances = _log_softmax(logits)
    right = chances[np.arange(len(wanted)), wanted]
    return float(-((1 - smoothing) * right + smoothing * chances.mean(axis=1)).sum())


class Search:
    """Translations of one sentence. `penalties`: of length, of coverage."""

    def __init__(self, net: ByHand, source: Sequence[int], most: int, penalties: tuple[float, float]) -> None:
        self.net, self.source, self.most, self.penalties = net, source, most, penalties

    def beam(self, size: int) -> tuple[list[int], float]:
        """The best, and its log-probability."""
        kept: list[tuple[list[int], float]] = [([], 0.0)]
        while not all(self._is_whole(said) for said, _ in kept):
            kept = sorted(self._grown(kept), key=lambda one: -one[1])[:size]
        return max(kept, key=lambda one: self._score(*one))

    def exhaustive(self, vocabulary: int) -> tuple[list[int], float]:
        """The best of all that there are."""
        several = (
            [*said, END] for long in range(self.most) for said in product(range(vocabulary), repeat=long)
        )
        unended = (list(said) for said in product(range(vocabulary), repeat=self.most))
        whole = [said for said in (*several, *unended) if END not in said[:-1]]
        return max(((said, self._sum(said)) for said in whole), key=lambda one: self._score(*one))

    def _is_whole(self, said: list[int]) -> bool:
        return len(said) == self.most or END in said

    def _grown(self, kept: list[tuple[list[int], float]]) -> Iterator[tuple[list[int], float]]:
        for said, total in kept:
            if self._is_whole(said):
                yield said, total
                continue
            for word, chance in enumerate(self._chances(said, len(said) + 1)[0][-1]):
                yield [*said, word], total + chance

    def _chances(self, said: list[int], places: int) -> tuple[np.ndarray, np.ndarray]:
        logits, paid = self.net.logits(self.source, [BEGIN, *said][:places])
        return _log_softmax(logits), paid

    def _sum(self, said: list[int]) -> float:
        chances, _ = self._chances(said, len(said))
        return float(chances[np.arange(len(said)), said].sum())

    def _score(self, said: list[int], total: float) -> float:
        _, paid = self._chances(said, len(said))
        length, coverage = self.penalties
        covered = np.log(np.minimum(paid.sum(axis=0), 1.0)).sum()
        return float(total / ((5 + len(said)) / 6) ** length + coverage * covered)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
