"""GNMT in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from suite.gnmt.lengths import ByLength
from suite.gnmt.spec import PADDING, Gnmt
from suite.gnmt.torch_search import translated
from suite.task import TRAIN
from suite.trainers import torch_trainer
from suite.trainers.torch_layers import AttentionEnergy, dense, lstm
from suite.trainers.torch_trainer import Tensors

Dropped = Callable[[torch.Tensor, str], torch.Tensor]  # what a layer is given, and its name
States = list[tuple[torch.Tensor, torch.Tensor]]  # of each layer h and c [n, hidden]


class Net(nn.Module):
    def __init__(self, spec: Gnmt) -> None:
        super().__init__()
        self.spec, shapes = spec, spec.shapes
        self.embedding = nn.Embedding(*shapes["embedding/embeddings"])
        for name in spec.lstms:
            self.add_module(name, lstm(shapes, name))
        self.attention_query = nn.Linear(*shapes["attention_query/kernel"], bias=False)
        self.attention_keys = nn.Linear(*shapes["attention_keys/kernel"], bias=False)
        self.attention = AttentionEnergy(*shapes["attention/vector"])
        self.dense = dense(shapes, "dense")

    def forward(self, source: torch.Tensor, given: torch.Tensor, dropped: Dropped) -> torch.Tensor:
        """Sentences [n, words] and the words before each -> logits [n, words, vocabulary]."""
        encoded = self.encode(source, dropped)
        x, _ = self.decoder1(dropped(self.embedding(given), "decoder1"))
        told, _ = self.attend(x, encoded, self.attention_keys(encoded), source != PADDING)
        for number, name in enumerate(self.spec.decoder[1:]):
            seen, _ = self.get_submodule(name)(dropped(torch.cat([x, told], dim=2), name))
            x = seen + x if number else seen
        return self.dense(x)

    def encode(self, source: torch.Tensor, dropped: Dropped) -> torch.Tensor:
        """[n, words] -> [n, words, hidden]. What stands behind a sentence's end is never looked at."""
        x = dropped(self.embedding(source), "encoder1")
        turned = _backwards(source)
        onward, _ = self.encoder1_forward(x)
        back, _ = self.encoder1_backward(_in_order(x, turned))
        x = torch.cat([onward, _in_order(back, turned)], dim=2)
        for number, name in enumerate(self.spec.encoder):
            seen, _ = self.get_submodule(name)(dropped(x, name))
            x = seen + x if number else seen
        return x

    def attend(
        self, asking: torch.Tensor, encoded: torch.Tensor, keys: torch.Tensor, there: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """States [n, asked, hidden] -> what they are told of the words that are `there` [n, words], and the weights."""
        energy = self.attention(self.attention_query(asking), keys)
        weights = energy.masked_fill(~there[:, None], -torch.inf).softmax(dim=2)
        return weights @ encoded, weights

    def step(
        self, words: torch.Tensor, states: States, memory: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, torch.Tensor, States]:
        """One word of each of several sentences [n, beam] -> logits [n, beam, vocabulary], weights, states."""
        states = states.copy()
        states[0] = h, _ = self._cell(self.spec.decoder[0], self.embedding(words).flatten(0, 1), states[0])
        told, weights = self.attend(h.view(*words.shape, -1), *memory)
        x, told = h, told.flatten(0, 1)
        for number, name in enumerate(self.spec.decoder[1:], 1):
            states[number] = h, _ = self._cell(name, torch.cat([x, told], dim=1), states[number])
            x = h + x if number > 1 else h
        return self.dense(x).view(*words.shape, -1), weights, states

    def _cell(
        self, name: str, x: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        layer = self.get_submodule(name)
        biases = layer.bias_ih_l0, layer.bias_hh_l0
        return torch.lstm_cell(x, state, layer.weight_ih_l0, layer.weight_hh_l0, *biases)


class Impl(ByLength, torch_trainer.Trainer):
    spec: Gnmt

    def network(self) -> nn.Module:
        return Net(self.spec)

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        dropped = partial(self.dropped, batch=batch)
        if stage == TRAIN:
            return {"logits": net(batch["source"], batch["given"], dropped)}
        encoded = self.net.encode(batch["source"], dropped)
        return translated(self.net, encoded, batch["source"], self.spec, self.dtype)

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        logits, target = outputs["logits"].flatten(0, 1), batch["target"].flatten()
        return functional.cross_entropy(
            logits, target, ignore_index=PADDING, label_smoothing=self.spec.smoothing
        )


def _backwards(source: torch.Tensor) -> torch.Tensor:
    """Places [n, words, 1] of each sentence's words from its end on; padding stays."""
    places = torch.arange(source.shape[1], device=source.device)
    last = (source != PADDING).sum(dim=1, keepdim=True) - 1
    return torch.where(places <= last, last - places, places)[..., None]


def _in_order(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return x.gather(1, places.expand_as(x))
