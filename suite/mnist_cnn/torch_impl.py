"""The CNN in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 64, 3, padding=1)
        self.conv2 = nn.Conv2d(64, 128, 5, padding=2)
        self.dense = nn.Linear(7 * 7 * 128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images [n, 1, 28, 28] -> logits [n, 10]."""
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        return self.dense(x.permute(0, 2, 3, 1).flatten(1))  # a view, as channels-last lies in this order


class Impl(Classifier):
    def network(self) -> nn.Module:
        return Net()
