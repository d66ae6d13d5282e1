"""ResNet-50 on ImageNet in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.residual.torch_residual import Residual, Standardised
from suite.resnet50_imagenet.spec import Resnet50ImageNet
from suite.task import SCORES
from suite.trainers.torch_trainer import Classifier, Tensors


class Net(Residual):
    def __init__(self, spec: Resnet50ImageNet) -> None:
        super().__init__(spec.blocks)
        self.standardised = Standardised()
        self.dense = nn.Linear(spec.pooled, spec.classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        *_, x = self.stages(self.standardised(x))
        return self.dense(x.mean((-2, -1)))


class Impl(Classifier):
    spec: Resnet50ImageNet

    def network(self) -> nn.Module:
        return Net(self.spec)

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        return functional.cross_entropy(outputs[SCORES], batch["y"], label_smoothing=self.spec.smoothing)
