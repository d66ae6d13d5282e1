"""The dense network in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.mnist_mlp.spec import MnistMlp
from suite.trainers.torch_layers import Shapes, dense
from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.hidden1, self.hidden2 = dense(shapes, "hidden1"), dense(shapes, "hidden2")
        self.output = dense(shapes, "output")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.hidden1(x))
        x = functional.relu(self.hidden2(x))
        return self.output(x)


class Impl(Classifier):
    spec: MnistMlp

    def network(self) -> nn.Module:
        return Net(self.spec.shapes)
