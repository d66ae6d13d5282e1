"""Transformer-XL in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from suite.trainers.torch_layers import layer_of
from suite.trainers.torch_trainer import Tensors, Trainer
from suite.transformer_xl.spec import NORM_EPSILON, TransformerXl

Dropped = Callable[[torch.Tensor, str], torch.Tensor]


class Net(nn.Module):
    def __init__(self, spec: TransformerXl) -> None:
        super().__init__()
        self.spec, self.clusters_from = spec, [first for first, _ in spec.bounds[1:]]
        shapes, norm = spec.shapes, partial(nn.LayerNorm, eps=NORM_EPSILON)
        for name in dict.fromkeys(name.split("/")[0] for name in shapes):
            self.add_module(name, layer_of(shapes, name, norm))
        self.register_buffer("waves", torch.from_numpy(spec.waves), persistent=False)
        self.register_buffer("hidden", torch.from_numpy(spec.hidden), persistent=False)

    def forward(self, batch: Tensors, dropped: Dropped) -> Tensors:
        read, wanted, memory = batch["x"][:, :-1], batch["x"][:, 1:], batch["memory"]
        kept = memory[: len(read)].masked_fill(batch["begins"][:, None, None, None], 0)
        state, entered = dropped(self._embedded(read), "words"), []
        waves = dropped(self.waves.to(state.dtype)[None], "positions")[0]
        for number in range(self.spec.layers):
            layer, seen = f"layer{number}_", torch.cat([kept[:, number], state], 1)
            entered.append(seen[:, -self.spec.memory :].detach())
            found = dropped(self._attention(layer, state, seen, waves), f"{layer}attention")
            state = self._of(layer, "attention_norm")(state + found)
            found = dropped(self._feed_forward(layer, state, dropped), f"{layer}outer")
            state = self._of(layer, "outer_norm")(state + found)
        state = dropped(state, "last").flatten(0, 1)
        nll = self._nll(state, wanted.flatten(), len(memory)).view(wanted.shape)
        return {"nll": nll, "memory": torch.cat([torch.stack(entered, 1), memory[len(read) :]])}

    def _of(self, layer: str, name: str) -> nn.Module:
        return self.get_submodule(layer + name)

    def _embedded(self, words: torch.Tensor) -> torch.Tensor:
        """Each cluster's vectors, widened, where a word is of the cluster."""
        found = 0.0
        for number, (first, end) in enumerate(self.spec.bounds):
            vectors = self.get_submodule(f"words{number}")((words - first).clamp(0, end - first - 1))
            if self.spec.widths[number] != self.spec.width:
                vectors = self.get_submodule(f"wide{number}")(vectors)
            found = found + vectors.masked_fill(((words < first) | (words >= end))[..., None], 0)
        return found * self.spec.width**0.5

    def _attention(
        self, layer: str, state: torch.Tensor, seen: torch.Tensor, waves: torch.Tensor
    ) -> torch.Tensor:
        heads = self.spec.heads, self.spec.head_width
        queries = self._of(layer, "queries")(state).unflatten(-1, heads)
        keys, values = (one.unflatten(-1, heads) for one in self._of(layer, "memory")(seen).chunk(2, -1))
        positions = self._of(layer, "positions")(waves).unflatten(-1, heads)
        by_content = torch.einsum("nihd,njhd->nhij", queries + self.content.bias, keys)
        by_position = torch.einsum("nihd,jhd->nhij", queries + self.position.bias, positions)
        scores = (by_content + _shifted(by_position)) / self.spec.head_width**0.5
        attended = scores.masked_fill(self.hidden, -torch.inf).softmax(-1)
        found = torch.einsum("nhij,njhd->nihd", attended, values)
        return self._of(layer, "attention")(found.flatten(2))

    def _feed_forward(self, layer: str, state: torch.Tensor, dropped: Dropped) -> torch.Tensor:
        inner = dropped(functional.relu(self._of(layer, "inner")(state)), f"{layer}inner")
        return self._of(layer, "outer")(inner)

    def _nll(self, state: torch.Tensor, words: torch.Tensor, batch: int) -> torch.Tensor:
        """Of the head for all; of a cluster for as many places as there is room for: shapes are the same always."""
        shortlist = self.spec.bounds[0][1]
        cluster = sum(((words >= first).long() for first in self.clusters_from), torch.zeros_like(words))
        wanted = torch.where(cluster > 0, shortlist + cluster - 1, words)
        found = functional.cross_entropy(self._logits(state, 0), wanted, reduction="none")
        for number, room in enumerate(self.spec.rooms, 1):
            first, end = self.spec.bounds[number]
            places = min(len(words), room * batch)
            is_its, places = (cluster == number).long().topk(places)
            wanted = (words[places] - first).clamp(0, end - first - 1)
            more = functional.cross_entropy(self._logits(state[places], number), wanted, reduction="none")
            found = found.index_add(0, places, more * is_its)
        return found

    def _logits(self, state: torch.Tensor, number: int) -> torch.Tensor:
        """Of the words of a cluster, whose vectors are those that words are read by; the head's of clusters, too."""
        if self.spec.widths[number] != self.spec.width:
            state = state @ self.get_submodule(f"wide{number}").weight
        kernel = self.get_submodule(f"words{number}").weight
        bias = self.get_submodule(f"likely{number}").bias
        if number == 0 and self.clusters_from:
            kernel = torch.cat([kernel, self.clusters.weight])
            bias = torch.cat([bias, self.clusters.bias])
        return functional.linear(state, kernel, bias)


class Impl(Trainer):
    spec: TransformerXl

    def network(self) -> nn.Module:
        return Net(self.spec)

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        return net(batch, partial(self.dropped, batch=batch))

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        return outputs["nll"].mean()


def _shifted(scores: torch.Tensor) -> torch.Tensor:
    """From columns that tell how far back, to columns that tell which word: each row one further than that below."""
    n, heads, rows, columns = scores.shape
    return functional.pad(scores, (1, 0)).view(n, heads, columns + 1, rows)[:, :, 1:].reshape(scores.shape)
