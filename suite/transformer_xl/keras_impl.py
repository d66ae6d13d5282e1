"""Transformer-XL in Keras."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from suite.keras_backends import BACKEND
from suite.trainers.keras_layers import Weighted
from suite.trainers.keras_stages import Trainer
from suite.trainers.keras_trainer import Tensors
from suite.transformer_xl.spec import NORM_EPSILON, TransformerXl


class Impl(Trainer):
    spec: TransformerXl

    def default_mode(self, device: str) -> str:
        """On TensorFlow XLA, as in plain TensorFlow: the graph trains 0.55 times as fast."""
        return "xla" if BACKEND == "tensorflow" else super().default_mode(device)

    def network(self) -> keras.Model:
        return Weighted(self.spec.shapes)

    def apply(self, net: Weighted, batch: Tensors, stage: str) -> Tensors:
        weights, memory = net.named(), batch["memory"]
        read, wanted = batch["x"][:, :-1], batch["x"][:, 1:]
        rows = ops.shape(read)[0]
        kept = ops.where(batch["begins"][:, None, None, None], ops.zeros((), memory.dtype), memory[:rows])
        state = self.dropped(self._embedded(weights, read), "words", batch)
        waves = ops.convert_to_tensor(self.spec.waves, state.dtype)
        waves = self.dropped(waves[None], "positions", batch)[0]
        entered = []
        for number in range(self.spec.layers):
            layer, seen = f"layer{number}_", ops.concatenate([kept[:, number], state], 1)
            entered.append(seen[:, -self.spec.memory :])
            found = self._attention(weights, layer, state, seen, waves)
            state = _normed(
                weights, f"{layer}attention_norm", state, self.dropped(found, f"{layer}attention", batch)
            )
            found = self._feed_forward(weights, layer, state, batch)
            state = _normed(weights, f"{layer}outer_norm", state, self.dropped(found, f"{layer}outer", batch))
        state = ops.reshape(self.dropped(state, "last", batch), (-1, self.spec.width))
        nll = ops.reshape(
            self._nll(weights, state, ops.reshape(wanted, (-1,)), memory.shape[0]), ops.shape(wanted)
        )
        return {"nll": nll, "memory": ops.concatenate([ops.stack(entered, 1), memory[rows:]], 0)}

    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        return ops.mean(outputs["nll"])

    def _embedded(self, weights: Tensors, words: Any) -> Any:
        """Each cluster's vectors, widened, where a word is of the cluster."""
        found = 0.0
        for number, (first, end) in enumerate(self.spec.bounds):
            places = ops.clip(words - first, 0, end - first - 1)
            vectors = ops.take(weights[f"words{number}/embeddings"], places, axis=0)
            if f"wide{number}/kernel" in weights:
                vectors = ops.matmul(vectors, weights[f"wide{number}/kernel"])
            is_its = ops.logical_and(words >= first, words < end)
            found = ops.where(is_its[..., None], vectors, ops.zeros((), vectors.dtype)) + found
        return found * self.spec.width**0.5

    def _attention(self, weights: Tensors, layer: str, state: Any, seen: Any, waves: Any) -> Any:
        queries = self._headed(ops.matmul(state, weights[f"{layer}queries/kernel"]))
        both = ops.split(ops.matmul(seen, weights[f"{layer}memory/kernel"]), 2, -1)
        keys, values = (self._headed(one) for one in both)
        positions = self._headed(ops.matmul(waves, weights[f"{layer}positions/kernel"])[None])[0]
        by_content = ops.einsum("nihd,njhd->nhij", queries + weights["content/bias"], keys)
        by_position = ops.einsum("nihd,jhd->nhij", queries + weights["position/bias"], positions)
        scores = (by_content + _shifted(by_position)) / self.spec.head_width**0.5
        never = ops.convert_to_tensor(float("-inf"), scores.dtype)
        attended = ops.softmax(ops.where(self.spec.hidden, never, scores))
        found = ops.einsum("nhij,njhd->nihd", attended, values)
        found = ops.reshape(found, (-1, self.spec.segment, self.spec.heads * self.spec.head_width))
        return ops.matmul(found, weights[f"{layer}attention/kernel"])

    def _headed(self, x: Any) -> Any:
        return ops.reshape(x, (-1, x.shape[1], self.spec.heads, self.spec.head_width))

    def _feed_forward(self, weights: Tensors, layer: str, state: Any, batch: Tensors) -> Any:
        inner = ops.relu(ops.matmul(state, weights[f"{layer}inner/kernel"]) + weights[f"{layer}inner/bias"])
        inner = self.dropped(inner, f"{layer}inner", batch)
        return ops.matmul(inner, weights[f"{layer}outer/kernel"]) + weights[f"{layer}outer/bias"]

    def _nll(self, weights: Tensors, state: Any, words: Any, batch: int) -> Any:
        """Of the head for all; of a cluster for as many places as there is room for: shapes are the same always."""
        shortlist, cluster = self.spec.bounds[0][1], ops.zeros_like(words)
        for first, _ in self.spec.bounds[1:]:
            cluster = cluster + ops.cast(words >= first, cluster.dtype)
        wanted = ops.where(cluster > 0, shortlist + cluster - 1, words)
        found = self._cross_entropy(weights, state, wanted, 0)
        for number, room in enumerate(self.spec.rooms, 1):
            first, end = self.spec.bounds[number]
            there = ops.shape(words)[0]
            places = min(there, room * batch) if isinstance(there, int) else ops.minimum(there, room * batch)
            is_its, places = ops.top_k(ops.cast(cluster == number, "int32"), places)
            wanted = ops.clip(ops.take(words, places) - first, 0, end - first - 1)
            more = self._cross_entropy(weights, ops.take(state, places, axis=0), wanted, number)
            more = ops.where(is_its > 0, more, ops.zeros((), more.dtype))
            found = found + ops.scatter(places[:, None], more, ops.shape(found))
        return found

    def _cross_entropy(self, weights: Tensors, state: Any, wanted: Any, number: int) -> Any:
        logits = ops.cast(self._logits(weights, state, number), self.dtype)
        return ops.sparse_categorical_crossentropy(wanted, logits, from_logits=True)

    def _logits(self, weights: Tensors, state: Any, number: int) -> Any:
        """Of the words of a cluster, whose vectors are those that words are read by; the head's of clusters, too."""
        if f"wide{number}/kernel" in weights:
            state = ops.matmul(state, ops.transpose(weights[f"wide{number}/kernel"]))
        kernel, bias = weights[f"words{number}/embeddings"], weights[f"likely{number}/bias"]
        if number == 0 and self.spec.rooms:
            kernel = ops.concatenate([kernel, ops.transpose(weights["clusters/kernel"])], 0)
            bias = ops.concatenate([bias, weights["clusters/bias"]], 0)
        return ops.matmul(state, ops.transpose(kernel)) + bias


def _shifted(scores: Any) -> Any:
    """From columns that tell how far back, to columns that tell which word: each row one further than that below."""
    _, heads, rows, columns = scores.shape
    padded = ops.reshape(ops.pad(scores, [[0, 0], [0, 0], [0, 0], [1, 0]]), (-1, heads, columns + 1, rows))
    return ops.reshape(padded[:, :, 1:], (-1, heads, rows, columns))


def _normed(weights: Tensors, name: str, state: Any, found: Any) -> Any:
    """The sum of both, of mean 0 and variance 1, scaled and shifted."""
    gamma, beta = weights[f"{name}/gamma"], weights[f"{name}/beta"]
    wide = ops.cast(state + found, gamma.dtype)
    apart = wide - ops.mean(wide, -1, keepdims=True)
    normed = apart * ops.rsqrt(ops.mean(ops.square(apart), -1, keepdims=True) + NORM_EPSILON)
    return ops.cast(normed * gamma + beta, state.dtype)
