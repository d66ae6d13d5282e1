"""Layers in PyTorch, whose sizes are those of the canonical arrays that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn import functional

Shapes = Mapping[str, tuple[int, ...]]


DRAWS = ("kaiming_uniform_", "normal_", "uniform_")  # of torch.nn.init, by which layers that we use begin


@contextmanager
def undrawn() -> Iterator[None]:
    """Layers hold no numbers of PyTorch's own meanwhile: every run replaces them, and nobody else draws any.

    For 124 million it took 0.55 s of CPU.
    """
    drawing = {name: getattr(nn.init, name) for name in DRAWS}
    try:
        for name in DRAWS:
            setattr(nn.init, name, lambda tensor, *given, **named: tensor)
        yield
    finally:
        for name, draw in drawing.items():
            setattr(nn.init, name, draw)


class Bias(nn.Module):
    """What is added, of any shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(shape))


class FrozenNorm(nn.Module):
    """Batch normalisation whose four arrays [channels] are constants, applied to the kernel that comes before."""

    def __init__(self, channels: int, epsilon: float) -> None:
        super().__init__()
        self.epsilon = epsilon
        for name in ("frozen_gamma", "frozen_beta", "mean", "variance"):
            self.register_buffer(name, torch.zeros(channels))

    def forward(self, x: torch.Tensor, before: nn.Conv2d) -> torch.Tensor:
        """What normalises a convolution's sums: its kernel is a few numbers, what it computes are many."""
        scale = self.frozen_gamma * torch.rsqrt(self.variance + self.epsilon)
        shift = torch.addcmul(self.frozen_beta, self.mean, scale, value=-1)
        kernel = before.weight * scale[:, None, None, None]
        return functional.conv2d(x, kernel, shift, before.stride, before.padding)


def convolution(shapes: Shapes, name: str) -> nn.Conv2d:
    """Of a kernel HWIO, that keeps height and width."""
    size, _, channels_in, channels = shapes[f"{name}/kernel"]
    return nn.Conv2d(channels_in, channels, size, padding=size // 2)


def dense(shapes: Shapes, name: str) -> nn.Linear:
    return nn.Linear(*shapes[f"{name}/kernel"])


def dropout(x: torch.Tensor, rate: float) -> torch.Tensor:
    """Of 64 drawn bits 16 for each number: the share is `rate` to 1 in 131 072.

    On a CPU the generator is one thread: 2.1 million numbers take 2 ms so, 26 ms by `functional.dropout`.
    """
    bits = torch.empty(-(-x.numel() // 4), dtype=torch.int64, device=x.device).random_(-(2**63), None)
    drawn = bits.view(torch.int16)[: x.numel()].view(x.shape)
    return torch.where(drawn >= round(rate * 2**16) - 2**15, x / (1 - rate), 0.0)


def flattened(x: torch.Tensor) -> torch.Tensor:
    """Images in the order height, width, channel: a view, as channels-last lies in this order."""
    return x.permute(0, 2, 3, 1).flatten(1)


def layer_of(shapes: Shapes, name: str, norm: Callable[[int], nn.Module]) -> nn.Module:
    """What holds a name's canonical arrays: of tokens' vectors, of a kernel, of a norm, or of a bias alone."""
    if f"{name}/embeddings" in shapes:
        return nn.Embedding(*shapes[f"{name}/embeddings"])
    if f"{name}/kernel" in shapes:
        return nn.Linear(*shapes[f"{name}/kernel"], bias=f"{name}/bias" in shapes)
    if f"{name}/gamma" in shapes:
        return norm(*shapes[f"{name}/gamma"])
    return Bias(shapes[f"{name}/bias"])


def lstm(shapes: Shapes, name: str) -> nn.LSTM:
    """Of a kernel [in, 4 * hidden]. PyTorch's second bias stays 0: a bias would learn twice as fast by it."""
    width, gates = shapes[f"{name}/kernel"]
    layer = nn.LSTM(width, gates // 4, batch_first=True)
    layer.bias_hh_l0.requires_grad_(False).zero_()
    return layer


class AttentionEnergy(nn.Module):
    """Normalised Bahdanau attention: how well queries and keys, both transformed, fit together."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.vector, self.bias = (nn.Parameter(torch.empty(units)) for _ in range(2))
        self.scale = nn.Parameter(torch.empty(1))

    def forward(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """[n, asked, units] and [n, words, units] -> [n, asked, words]."""
        direction = self.vector * (self.scale / torch.linalg.vector_norm(self.vector))
        return torch.tanh(queries[:, :, None] + (keys + self.bias)[:, None]) @ direction


def at_rest(x: torch.Tensor) -> None:
    """Waits for all that was begun where this lies."""
    if x.device.type != "cpu":
        torch.accelerator.synchronize(x.device)
