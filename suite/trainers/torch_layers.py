"""Layers in PyTorch, whose sizes are those of the canonical arrays that they hold."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

Shapes = Mapping[str, tuple[int, ...]]


def convolution(shapes: Shapes, name: str) -> nn.Conv2d:
    """Of a kernel HWIO, that keeps height and width."""
    size, _, channels_in, channels = shapes[f"{name}/kernel"]
    return nn.Conv2d(channels_in, channels, size, padding=size // 2)


def dense(shapes: Shapes, name: str) -> nn.Linear:
    return nn.Linear(*shapes[f"{name}/kernel"])


def flattened(x: torch.Tensor) -> torch.Tensor:
    """Images in the order height, width, channel: a view, as channels-last lies in this order."""
    return x.permute(0, 2, 3, 1).flatten(1)
