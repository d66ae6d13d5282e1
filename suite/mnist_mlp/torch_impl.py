"""The dense network in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden1 = nn.Linear(28 * 28, 512)
        self.hidden2 = nn.Linear(512, 512)
        self.output = nn.Linear(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images [n, 784] -> logits [n, 10]."""
        x = functional.relu(self.hidden1(x))
        x = functional.relu(self.hidden2(x))
        return self.output(x)


class Impl(Classifier):
    def network(self) -> nn.Module:
        return Net()
