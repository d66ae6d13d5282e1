"""Ways to write on with PyTorch that are no mode of ours: attention of plain products, and a static cache."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from unittest.mock import patch

import torch
from torch.nn import functional

from suite.llm.torch_impl import Impl
from suite.llm.torch_writer import LayerCache, Read, Writer

ATTENTION = "scaled_dot_product_attention"
attention = functional.scaled_dot_product_attention


def by_products(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, is_causal: bool, enable_gqa: bool
) -> torch.Tensor:
    group = queries.shape[1] // keys.shape[1]
    keys, values = (one.repeat_interleave(group, 1) if enable_gqa else one for one in (keys, values))
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    if is_causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    return scores.softmax(-1) @ values


class ByProducts(Impl):
    def part(self, *given: Any) -> Any:
        with patch.object(functional, ATTENTION, by_products):
            return super().part(*given)


class Whole(LayerCache):
    """One token is at a place [1] and attends to all places, those to come hidden: one compiled shape fits all."""

    def with_more(self, keys: torch.Tensor, values: torch.Tensor, places: Any) -> Any:
        if isinstance(places, slice):
            return super().with_more(keys, values, places)
        self.keys.index_copy_(2, places, keys)
        self.values.index_copy_(2, places, values)
        return self.keys, self.values


class WholeWriter(Writer):
    def read(self, prompts: torch.Tensor) -> Read:
        with patch("suite.llm.torch_writer.LayerCache", Whole):
            return super().read(prompts)

    def written(self, read: Read) -> torch.Tensor:
        tokens, first = [read.token], self.spec.prompt_tokens
        with patch.object(functional, ATTENTION, self._masked):
            for place in range(first, first + self.spec.new_tokens - 1):
                tokens.append(self._compiled(tokens[-1], read.cache, torch.tensor([place])))
        return torch.cat(tokens, 1)

    @cached_property
    def _compiled(self) -> Any:
        return torch.compile(self._one_more)

    def _one_more(self, token: torch.Tensor, cache: Any, place: torch.Tensor) -> torch.Tensor:
        net, later = self.net, torch.arange(self.spec.reach) > place
        self._mask = torch.zeros(self.spec.reach).masked_fill(later, -torch.inf).expand(1, 1, 1, -1)
        x = net.tokens(token)
        x = x + net.positions.weight[place] if hasattr(net, "positions") else x
        for number, layer in enumerate(self.spec.layer_names):
            x = net._block(layer, cache[number], place, x)
        return net.logits(net.last_norm(x)).argmax(-1)

    def _masked(self, *given: Any, is_causal: bool, enable_gqa: bool) -> torch.Tensor:
        return attention(*given, attn_mask=self._mask, enable_gqa=enable_gqa)


class Static(Impl):
    @cached_property
    def _writer(self) -> Writer:
        return WholeWriter(self.net, self._narrow, compiled=True)
