"""Coins in PyTorch."""

from __future__ import annotations

import torch
from torch import nn

from suite.trainers.torch_trainer import Tensors, Trainer
from tests.toys.coin.spec import SITES, WIDTH


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.Embedding(len(SITES), WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[..., None] * self.rows.weight


class Impl(Trainer):
    def network(self) -> nn.Module:
        return Net()

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        rows = net(batch["x"])
        kept = [self.dropped(rows[:, number], site, batch) for number, site in enumerate(SITES)]
        return {"kept": torch.stack(kept, 1)}

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        return outputs["kept"].sum()
