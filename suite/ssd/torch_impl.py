"""SSD in PyTorch."""

from __future__ import annotations

import torch
from torch import nn

from suite.residual.torch_residual import Residual, Standardised, relu
from suite.ssd.spec import Ssd
from suite.ssd.torch_multibox import detected, losses
from suite.task import TRAIN
from suite.trainers import torch_trainer
from suite.trainers.torch_trainer import Tensors


class Net(Residual):
    def __init__(self, spec: Ssd) -> None:
        super().__init__(spec.blocks)
        self.standardised = Standardised()
        self.extras, self.told = spec.extras, spec.told
        for one in (one for extra in spec.extras for one in extra.layers):
            self.add(one)
        for name, (size, _, width, out) in spec.heads.items():
            self.add_module(name, nn.Conv2d(width, out, size, padding=size // 2))

    def forward(self, x: torch.Tensor) -> Tensors:
        """Images uint8 -> what the heads tell of each default box."""
        maps = self.stages(self.standardised(x))[-1:]
        for extra in self.extras:
            squeezed = relu(self.layer(extra.squeeze, maps[-1]))
            maps.append(relu(self.layer(extra.spread, squeezed)))
        return {name: torch.cat([self._head(name, *one) for one in enumerate(maps)], 1) for name in self.told}

    def _head(self, name: str, number: int, x: torch.Tensor) -> torch.Tensor:
        """Of a map, [n, boxes, numbers]."""
        found = self.get_submodule(f"{name}{number}")(x)
        return found.movedim(1, -1).reshape(len(x), -1, self.told[name])


class Impl(torch_trainer.Trainer):
    spec: Ssd

    def network(self) -> nn.Module:
        self.defaults = torch.tensor(self.spec.defaults, dtype=self.dtype, device=self.device)
        return Net(self.spec)

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        told = net(batch["image"])
        if stage == TRAIN:
            return told
        wide = {name: one.to(self.dtype) for name, one in told.items()}
        return detected(wide["offsets"], wide["logits"], self.defaults, self.spec)

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        """Mean over the images of what their matched boxes lose; an image without any loses nothing."""
        parts = losses(outputs["offsets"], outputs["logits"], batch, self.defaults, self.spec)
        both = parts["placed"] + parts["classified"]
        return (both / parts["matched"].clamp(min=1)).mean()
