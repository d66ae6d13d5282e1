"""NeuMF in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from suite.ncf.ranking import TOP
from suite.ncf.spec import Ncf
from suite.task import SCORES, TRAIN
from suite.trainers.torch_layers import dense
from suite.trainers.torch_trainer import Tensors, Trainer

Dropped = Callable[[torch.Tensor, str], torch.Tensor]


class Net(nn.Module):
    def __init__(self, spec: Ncf) -> None:
        super().__init__()
        self.factors, self.hidden = spec.factors, spec.hidden
        self.users = nn.Embedding(*spec.shapes["users/embeddings"])
        self.items = nn.Embedding(*spec.shapes["items/embeddings"])
        for name in (*spec.hidden, "output"):
            self.add_module(name, dense(spec.shapes, name))

    def forward(self, user: torch.Tensor, item: torch.Tensor, dropped: Dropped) -> torch.Tensor:
        user, item = torch.broadcast_tensors(self.users(user), self.items(item))
        x = torch.cat([user[..., self.factors :], item[..., self.factors :]], -1)
        for name in self.hidden:
            x = dropped(functional.relu(self.get_submodule(name)(x)), name)
        product = user[..., : self.factors] * item[..., : self.factors]
        return self.output(torch.cat([product, x], -1))[..., 0]


class Impl(Trainer):
    spec: Ncf

    def network(self) -> nn.Module:
        return Net(self.spec)

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        dropped = partial(self.dropped, batch=batch)
        if stage == TRAIN:
            return {SCORES: net(batch["user"], batch["item"], dropped)}
        candidates = batch["candidates"]
        scores = net(batch["user"][:, None], candidates, dropped)
        best = scores.argsort(dim=1, descending=True, stable=True)[:, :TOP]
        return {SCORES: scores, "ranked": candidates.gather(1, best)}

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        scores = outputs[SCORES]
        return functional.binary_cross_entropy_with_logits(scores, batch["rated"].to(scores.dtype))
