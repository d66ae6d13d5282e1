"""A decoder-only transformer once more, by NumPy: token by token, head by head, and without a cache.

The equations of Touvron et al. 2023 (RMSNorm, SwiGLU), Su et al. 2021 (rotary positions, here of i and i + half),
Ainslie et al. 2023 (grouped queries) and Radford et al. 2019 as `suite/llm/spec.py` writes them, without its code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

EPSILON = 1e-5


class ByHand:
    """Of the spec its sizes alone."""

    def __init__(self, spec: Any, weights: Mapping[str, np.ndarray]) -> None:
        self.spec, self.weights, self.is_llama = spec, weights, spec.form == "llama"

    def nll(self, x: np.ndarray) -> np.ndarray:
        """Windows [n, context + 1] -> -log p of each token after the first one [n, context]."""
        return np.array([self._surprises(tokens) for tokens in x.tolist()])

    def written(self, prompts: np.ndarray, new_tokens: int) -> np.ndarray:
        """[n, new_tokens], of which each is the likeliest after all before it."""
        found = prompts.tolist()
        for tokens in found:
            for _ in range(new_tokens):
                tokens.append(int(self.logits(tokens)[-1].argmax()))
        return np.array(found)[:, -new_tokens:]

    def logits(self, tokens: Sequence[int]) -> np.ndarray:
        """Of what follows each token: [tokens, vocabulary]."""
        table = self.weights["tokens/embeddings"]
        state = np.array([table[token] for token in tokens])
        if not self.is_llama:
            state = state + self.weights["positions/embeddings"][: len(tokens)]
        for number in range(self.spec.layers):
            layer = f"layer{number}_"
            state = state + self._attended(layer, self._normed(f"{layer}attention_norm", state))
            state = state + self._inner(layer, self._normed(f"{layer}inner_norm", state))
        kernel = table.T if self.spec.tied else self.weights["likely/kernel"]
        return self._normed("last_norm", state) @ kernel

    def _surprises(self, tokens: Sequence[int]) -> list[float]:
        logits = self.logits(tokens[:-1])
        largest = logits.max(axis=1)
        sums = largest + np.log(np.exp(logits - largest[:, np.newaxis]).sum(axis=1))
        return [float(sums[place] - logits[place, token]) for place, token in enumerate(tokens[1:])]

    def _attended(self, layer: str, state: np.ndarray) -> np.ndarray:
        wide = self.spec.width // self.spec.heads
        queries, keys, values = (
            self._product(layer + name, state).reshape(len(state), -1, wide)
            for name in ("queries", "keys", "values")
        )
        if self.is_llama:
            queries, keys = self._turned(queries), self._turned(keys)
        found = np.empty(queries.shape)
        for place, head in np.ndindex(queries.shape[:2]):
            shared = head // (self.spec.heads // self.spec.kv_heads)
            scores = keys[: place + 1, shared] @ queries[place, head] / np.sqrt(wide)
            share = np.exp(scores - scores.max())
            found[place, head] = share / share.sum() @ values[: place + 1, shared]
        return self._product(f"{layer}attention", found.reshape(len(state), -1))

    def _turned(self, x: np.ndarray) -> np.ndarray:
        """Each pair of numbers is a complex one."""
        half = x.shape[2] // 2
        pairs, turned = x[..., :half] + 1j * x[..., half:], np.empty(x.shape)
        for place, number in np.ndindex(len(x), half):
            angle = place / self.spec.rotary_base ** (number / half)
            pair = pairs[place, :, number] * np.exp(1j * angle)
            turned[place, :, number], turned[place, :, number + half] = pair.real, pair.imag
        return turned

    def _inner(self, layer: str, state: np.ndarray) -> np.ndarray:
        up = self._product(f"{layer}up", state)
        if self.is_llama:
            gate = self._product(f"{layer}gate", state)
            return self._product(f"{layer}down", gate / (1 + np.exp(-gate)) * up)
        bent = up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3))) / 2
        return self._product(f"{layer}down", bent)

    def _product(self, name: str, x: np.ndarray) -> np.ndarray:
        found = x @ self.weights[f"{name}/kernel"]
        return found + self.weights.get(f"{name}/bias", 0.0)

    def _normed(self, name: str, x: np.ndarray) -> np.ndarray:
        gamma = self.weights[f"{name}/gamma"]
        if self.is_llama:
            return np.array([row / np.sqrt((row**2).mean() + EPSILON) for row in x]) * gamma
        scaled = np.array([(row - row.mean()) / np.sqrt(row.var() + EPSILON) for row in x])
        return scaled * gamma + self.weights[f"{name}/beta"]
