"""The ResNet in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.resnet.spec import EPSILON, MOMENTUM, POOL_PADDING, POOL_SIZE, POOL_STRIDE, STEM, Layer, Resnet
from suite.trainers.torch_trainer import Classifier


class Net(nn.Module):
    def __init__(self, spec: Resnet) -> None:
        super().__init__()
        self.blocks = spec.blocks
        for one in spec.layers:
            wide = one.channels_in, one.channels, one.size
            self.add_module(one.name, nn.Conv2d(*wide, one.stride, one.padding, bias=False))
            self.add_module(one.norm, nn.BatchNorm2d(one.channels, EPSILON, momentum=1 - MOMENTUM))
        self.dense = nn.Linear(spec.pooled, spec.classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(_relu(self._layer(STEM, x)), POOL_SIZE, POOL_STRIDE, POOL_PADDING)
        for block in self.blocks:
            shortcut = x if block.projection is None else self._layer(block.projection, x)
            *inner, last = block.layers
            for one in inner:
                x = _relu(self._layer(one, x))
            x = _relu(self._layer(last, x) + shortcut)
        return self.dense(x.mean((-2, -1)))

    def _layer(self, one: Layer, x: torch.Tensor) -> torch.Tensor:
        return self.get_submodule(one.norm)(self.get_submodule(one.name)(x))


def _relu(x: torch.Tensor) -> torch.Tensor:
    return functional.relu(x, inplace=True)


class Impl(Classifier):
    spec: Resnet

    def network(self) -> nn.Module:
        return Net(self.spec)
