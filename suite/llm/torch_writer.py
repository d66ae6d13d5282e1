"""Greedy generation in PyTorch: the cache of keys and values, and the loop over tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import torch
from torch import nn

from suite.llm.spec import Llm

Seen = tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]  # keys, values, and which of them; None: all


@dataclass(frozen=True)
class LayerCache:
    """A layer's keys and values [n, kv_heads, reach, head_width], written in place."""

    keys: torch.Tensor
    values: torch.Tensor

    @classmethod
    def empty(cls, spec: Llm, n: int, kind: torch.dtype, device: torch.device) -> Self:
        shape = n, spec.kv_heads, spec.reach, spec.head_width
        return cls(*(torch.zeros(shape, dtype=kind, device=device) for _ in range(2)))

    def with_more(self, keys: torch.Tensor, values: torch.Tensor, places: Any) -> Seen:
        """All up to the last of these places, whose keys and values [n, kv_heads, tokens, head_width] are new."""
        self.keys[:, :, places], self.values[:, :, places] = keys, values
        return self.keys[:, :, : places.stop], self.values[:, :, : places.stop], None


Cache = Sequence[LayerCache]
Following = Callable[[torch.Tensor, Cache, Any], torch.Tensor]  # as Writer's


@dataclass(frozen=True)
class Read:
    """Of a batch of prompts: the cache, and the first token [n, 1] that follows."""

    cache: Cache
    token: torch.Tensor


class Writer:
    """What reads prompts and goes on writing, by weights of the precision that it computes in."""

    def __init__(self, net: Any, kind: torch.dtype, compiled: bool) -> None:
        narrow = next(net.parameters()).dtype != kind
        self.net, self.kind = (_narrowed(net, kind) if narrow else net).eval(), kind
        self.spec: Llm = net.spec
        self.following: Following = torch.compile(self._likeliest) if compiled else self._likeliest

    def read(self, prompts: torch.Tensor) -> Read:
        empty = partial(LayerCache.empty, self.spec, len(prompts), self.kind, prompts.device)
        cache = [empty() for _ in self.spec.layer_names]
        return Read(cache, self.following(prompts, cache, 0))

    def written(self, read: Read) -> torch.Tensor:
        """[n, new_tokens], the first one that `read` had already among them."""
        tokens, first = [read.token], self.spec.prompt_tokens
        for place in range(first, first + self.spec.new_tokens - 1):
            tokens.append(self.following(tokens[-1], read.cache, place))
        return torch.cat(tokens, 1)

    def _likeliest(self, tokens: torch.Tensor, cache: Cache, first: Any) -> torch.Tensor:
        """After the last of these tokens [n, tokens], the first at this place: [n, 1]."""
        states = self.net.states(tokens, cache, first)[:, -1:]
        return self.net.logits(states).argmax(-1)


def _narrowed(net: nn.Module, kind: torch.dtype) -> nn.Module:
    """A copy, one tensor after the other: no wide one besides, which is what a large model has no room for."""
    frozen = partial(nn.Parameter, requires_grad=False)
    narrow = {id(one): frozen(one.detach().to(kind)) for one in net.parameters()}
    return deepcopy(net, narrow | {id(one): one.to(kind) for one in net.buffers()})
