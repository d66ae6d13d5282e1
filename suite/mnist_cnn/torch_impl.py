"""The CNN in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.image_classifier import POOL
from suite.mnist_cnn.spec import MnistCnn
from suite.trainers.torch_layers import Shapes, convolution, dense, flattened
from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.conv1, self.conv2 = convolution(shapes, "conv1"), convolution(shapes, "conv2")
        self.dense = dense(shapes, "dense")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(functional.relu(self.conv1(x)), POOL)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), POOL)
        return self.dense(flattened(x))


class Impl(Classifier):
    spec: MnistCnn

    def network(self) -> nn.Module:
        return Net(self.spec.shapes)
