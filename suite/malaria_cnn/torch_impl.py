"""The CNN in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.conv3 = nn.Conv2d(32, 64, 3, padding=1)
        self.hidden = nn.Linear(8 * 8 * 64, 64)
        self.output = nn.Linear(64, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images [n, 3, 64, 64] -> logits [n, 2]."""
        for convolution in (self.conv1, self.conv2, self.conv3):
            x = functional.max_pool2d(functional.relu(convolution(x)), 2)
        x = x.permute(0, 2, 3, 1).flatten(1)  # a view, as channels-last lies in this order
        return self.output(functional.relu(self.hidden(x)))


class Impl(Classifier):
    def network(self) -> nn.Module:
        return Net()
