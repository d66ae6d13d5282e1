"""The CNN in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.image_classifier import POOL
from suite.malaria_cnn.spec import MalariaCnn
from suite.trainers.torch_layers import Shapes, convolution, dense, flattened
from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.conv1, self.conv2 = convolution(shapes, "conv1"), convolution(shapes, "conv2")
        self.conv3 = convolution(shapes, "conv3")
        self.hidden, self.output = dense(shapes, "hidden"), dense(shapes, "output")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in (self.conv1, self.conv2, self.conv3):
            x = functional.max_pool2d(functional.relu(layer(x)), POOL)
        return self.output(functional.relu(self.hidden(flattened(x))))


class Impl(Classifier):
    spec: MalariaCnn

    def network(self) -> nn.Module:
        return Net(self.spec.shapes)
