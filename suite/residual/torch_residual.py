"""The layers of a ResNet in PyTorch."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn
from torch.nn import functional

from suite.residual.layers import (
    EPSILON,
    MOMENTUM,
    POOL_PADDING,
    POOL_SIZE,
    POOL_STRIDE,
    Layer,
    ResidualBlock,
    layers_of,
    stages,
)
from suite.residual.pixels import SCALE, SHIFT


class Residual(nn.Module):
    """Its layers bear their canonical names."""

    def __init__(self, blocks: Iterable[ResidualBlock]) -> None:
        super().__init__()
        self.blocks = tuple(blocks)
        for one in layers_of(self.blocks):
            self.add(one)

    def add(self, one: Layer) -> None:
        wide = one.channels_in, one.channels, one.size
        self.add_module(one.name, nn.Conv2d(*wide, one.stride, one.padding, bias=False))
        self.add_module(one.norm, nn.BatchNorm2d(one.channels, EPSILON, momentum=1 - MOMENTUM))

    def layer(self, one: Layer, x: torch.Tensor) -> torch.Tensor:
        return self.get_submodule(one.norm)(self.get_submodule(one.name)(x))

    def stages(self, x: torch.Tensor) -> list[torch.Tensor]:
        return stages(x, self.blocks, self.layer, relu, pooled)


class Standardised(nn.Module):
    """Pixels uint8 [n, channels, height, width] in the precision of the weights."""

    def __init__(self) -> None:
        super().__init__()
        for name, values in (("scale", SCALE), ("shift", SHIFT)):
            self.register_buffer(name, torch.from_numpy(values).reshape(-1, 1, 1), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.to(self.scale.dtype) * self.scale - self.shift


def relu(x: torch.Tensor) -> torch.Tensor:
    return functional.relu(x, inplace=True)


def pooled(x: torch.Tensor) -> torch.Tensor:
    return functional.max_pool2d(x, POOL_SIZE, POOL_STRIDE, POOL_PADDING)
