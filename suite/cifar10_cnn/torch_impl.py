"""The CNN in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.conv3 = nn.Conv2d(64, 128, 3, padding=1)
        self.hidden = nn.Linear(4 * 4 * 128, 128)
        self.output = nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images [n, 3, 32, 32] -> logits [n, 10]."""
        for convolution in (self.conv1, self.conv2, self.conv3):
            x = functional.max_pool2d(functional.relu(convolution(x)), 2)
        x = x.permute(0, 2, 3, 1).flatten(1)  # a view, as channels-last lies in this order
        return self.output(functional.relu(self.hidden(x)))


class Impl(Classifier):
    def network(self) -> nn.Module:
        return Net()
