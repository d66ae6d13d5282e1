"""The ResNet in PyTorch."""

from __future__ import annotations

import torch
from torch import nn

from suite.residual.torch_residual import Residual
from suite.resnet.spec import Resnet
from suite.trainers.torch_trainer import Classifier


class Net(Residual):
    def __init__(self, spec: Resnet) -> None:
        super().__init__(spec.blocks)
        self.dense = nn.Linear(spec.pooled, spec.classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dense(self.stages(x)[-1].mean((-2, -1)))


class Impl(Classifier):
    spec: Resnet

    def network(self) -> nn.Module:
        return Net(self.spec)
