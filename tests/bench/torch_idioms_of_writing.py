"""Ways to write on with PyTorch that are no mode of ours: attention of plain products, and a cache of one shape."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from unittest.mock import patch

import torch
from torch.nn import functional

from suite.llm.torch_impl import Impl
from suite.llm.torch_static_writer import StaticWriter
from suite.llm.torch_writer import Writer


def by_products(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    _: None,
    is_causal: bool,
    enable_gqa: bool,
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
        with patch.object(functional, "scaled_dot_product_attention", by_products):
            return super().part(*given)


class Static(Impl):
    @cached_property
    def _writer(self) -> Writer:
        return StaticWriter(self.net, self._narrow, compiled=True)
