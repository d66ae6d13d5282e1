"""PyTorch's names and layouts against the canonical ones (NHWC, HWIO, dense [in, out])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from suite.trainers.torch_layers import AttentionEnergy, Bias, FrozenNorm

# Type of layer -> its tensor -> the canonical word, and the axes of the tensor in canonical order; none: as they are.
WORDS: Mapping[type[nn.Module], Mapping[str, tuple[str, tuple[int, ...]]]] = {
    nn.Conv2d: {"weight": ("kernel", (2, 3, 1, 0)), "bias": ("bias", (0,))},
    nn.ConvTranspose2d: {"weight": ("kernel", (2, 3, 0, 1)), "bias": ("bias", (0,))},
    nn.Linear: {"weight": ("kernel", (1, 0)), "bias": ("bias", (0,))},
    nn.Embedding: {"weight": ("embeddings", (0, 1))},
    nn.LSTM: {
        "weight_ih_l0": ("kernel", (1, 0)),
        "weight_hh_l0": ("recurrent_kernel", (1, 0)),
        "bias_ih_l0": ("bias", (0,)),
    },
    nn.LayerNorm: {"weight": ("gamma", (0,)), "bias": ("beta", (0,))},
    nn.RMSNorm: {"weight": ("gamma", (0,))},
    Bias: {"bias": ("bias", ())},
    AttentionEnergy: {name: (name, (0,)) for name in ("vector", "scale", "bias")},
    FrozenNorm: {name: (name, (0,)) for name in ("frozen_gamma", "frozen_beta", "mean", "variance")},
    nn.BatchNorm2d: {
        "weight": ("gamma", (0,)),
        "bias": ("beta", (0,)),
        "running_mean": ("mean", (0,)),
        "running_var": ("variance", (0,)),
    },
}


@dataclass(frozen=True)
class Layout:
    """Where a canonical array lies in a network: layer1.0.conv1.weight is layer1/0/conv1/kernel."""

    torch_name: str
    name: str
    axes: tuple[int, ...]

    def canonical(self, tensor: torch.Tensor) -> np.ndarray:
        return tensor.detach().permute(self.axes).cpu().numpy().copy()

    def tensor(self, array: np.ndarray, device: torch.device) -> torch.Tensor:
        """Turned there: a GPU does it faster than the host."""
        return torch.from_numpy(array).to(device).permute(tuple(np.argsort(self.axes)))


def layouts(net: nn.Module) -> Iterator[Layout]:
    """Of every tensor that a canonical array stands for; others (counters, frozen zeros) are PyTorch's own."""
    for place, layer in net.named_modules():
        for name, (word, axes) in WORDS.get(type(layer), {}).items():
            if (tensor := getattr(layer, name)) is not None:
                dotted, axes = f"{place}.{name}".lstrip("."), axes or tuple(range(tensor.ndim))
                yield Layout(dotted, f"{place.replace('.', '/')}/{word}", axes)


@torch.no_grad()
def load(net: nn.Module, weights: Mapping[str, np.ndarray]) -> None:
    """One after the other, so that there is one of them besides the network.

    Raises: KeyError if an array is missing, RuntimeError if it is of another shape.
    """
    places = net.state_dict()
    for one in layouts(net):
        place = places[one.torch_name]
        tensor = one.tensor(weights[one.name], place.device)
        if tensor.shape != place.shape:
            raise RuntimeError(f"{one.name} is no array of {tuple(place.shape)}: {tuple(tensor.shape)}")
        place.copy_(tensor)
