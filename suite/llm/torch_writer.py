"""Greedy generation in PyTorch: the cache of keys and values, and the loop over tokens."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch

from suite.llm.spec import Llm


class LayerCache:
    """A layer's keys and values [n, kv_heads, reach, head_width], written in place."""

    def __init__(self, shape: Sequence[int], kind: torch.dtype, device: torch.device) -> None:
        self.keys, self.values = (torch.zeros(shape, dtype=kind, device=device) for _ in range(2))

    def with_more(
        self, keys: torch.Tensor, values: torch.Tensor, places: slice
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """All up to the last of these places, whose keys and values [n, kv_heads, tokens, head_width] are new."""
        self.keys[:, :, places], self.values[:, :, places] = keys, values
        return self.keys[:, :, : places.stop], self.values[:, :, : places.stop]


Cache = Sequence[LayerCache]


@dataclass(frozen=True)
class Read:
    """Of a batch of prompts: the cache, and the first token [n, 1] that follows."""

    cache: Cache
    token: torch.Tensor


class Writer:
    """What reads prompts and goes on writing, by weights of the precision that it computes in."""

    def __init__(self, net: Any, kind: torch.dtype, compiled: bool) -> None:
        narrow = next(net.parameters()).dtype != kind
        self.net, self.kind = (deepcopy(net).to(kind) if narrow else net).eval(), kind
        self.spec: Llm = net.spec
        self._next = torch.compile(self._likeliest) if compiled else self._likeliest

    def read(self, prompts: torch.Tensor) -> Read:
        shape = len(prompts), self.spec.kv_heads, self.spec.reach, self.spec.head_width
        cache = [LayerCache(shape, self.kind, prompts.device) for _ in self.spec.layer_names]
        return Read(cache, self._next(prompts, cache, 0))

    def written(self, read: Read) -> torch.Tensor:
        """[n, new_tokens], the first one that `read` had already among them."""
        tokens, first = [read.token], self.spec.prompt_tokens
        for place in range(first, first + self.spec.new_tokens - 1):
            tokens.append(self._next(tokens[-1], read.cache, place))
        return torch.cat(tokens, 1)

    def _likeliest(self, tokens: torch.Tensor, cache: Cache, first: int) -> torch.Tensor:
        """After the last of these tokens [n, tokens]: [n, 1]."""
        states = self.net.states(tokens, cache, first)[:, -1:]
        return self.net.logits(states).argmax(-1)
