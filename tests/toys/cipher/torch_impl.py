"""The cipher in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from suite.task import INFER, TRAIN
from suite.trainers.torch_layers import dense
from suite.trainers.torch_trainer import Tensors, Trainer
from tests.toys.cipher.spec import REMEMBERED, SEEN


class Net(nn.Module):
    def __init__(self, weights: dict[str, tuple[int, ...]]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(*weights["embedding/embeddings"])
        self.dense = dense(weights, "dense")

    def forward(self, words: torch.Tensor, memory: torch.Tensor, dropped: Callable) -> Tensors:
        x = self.embedding(words)
        seen = dropped(x + REMEMBERED * memory[: len(x), None, :], SEEN)
        return {
            "logits": self.dense(seen),
            "memory": functional.pad(x.mean(1), (0, 0, 0, len(memory) - len(x))),
        }


class Impl(Trainer):
    def network(self) -> nn.Module:
        return Net({name: array.shape for name, array in self.spec.initial_weights(0).items()})

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        found = net(batch["source"], batch["memory"], partial(self.dropped, batch=batch))
        if stage in (TRAIN, INFER):
            return found
        tokens = found["logits"].argmax(-1) * (batch["source"] > 0)
        return {"tokens": tokens, "memory": found["memory"]}

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        logits, target = outputs["logits"].flatten(0, 1), batch["target"].flatten()
        return functional.cross_entropy(logits, target, ignore_index=0)
