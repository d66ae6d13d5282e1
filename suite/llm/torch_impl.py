"""The language model in PyTorch."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from suite.llm.parts import WRITING, InParts
from suite.llm.sizes import GPT2, LLAMA
from suite.llm.spec import Llm
from suite.llm.torch_in_place import Turns, gated, gelu, plus, turned
from suite.llm.torch_server import SlotServer
from suite.llm.torch_static_writer import StaticWriter
from suite.llm.torch_writer import Cache, Read, Writer
from suite.spec import Arrays
from suite.trainers import torch_layers
from suite.trainers.torch_layers import layer_of
from suite.trainers.torch_trainer import Tensors, Trainer


class Net(nn.Module):
    def __init__(self, spec: Llm) -> None:
        super().__init__()
        self.spec, shapes = spec, spec.shapes
        norm = partial(nn.RMSNorm if spec.form == LLAMA else nn.LayerNorm, eps=spec.norm_epsilon)
        for name in dict.fromkeys(name.split("/")[0] for name in shapes):
            self.add_module(name, layer_of(shapes, name, norm))
        cosines, sines = np.cos(spec.angles), np.sin(spec.angles)
        for name, halves in (("cosines", (cosines, cosines)), ("sines", (-sines, sines))):
            self.register_buffer(name, torch.from_numpy(np.concatenate(halves, 1)), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Windows [n, context + 1] -> of every token after the first -log p [n, context]."""
        logits, wanted = self.logits(self.states(x[:, :-1])), x[:, 1:]
        nll = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="none")
        return nll.view(wanted.shape)

    def states(self, tokens: torch.Tensor, cache: Cache | None = None, first: Any = 0) -> torch.Tensor:
        """[n, tokens] from position `first` on, or each at its own [n, 1] -> [n, tokens, width].

        Before the last product.
        """
        x = self.tokens(tokens)
        places = slice(first, first + tokens.shape[1]) if isinstance(first, int) else first
        if self.spec.form == GPT2:
            x = x + self.positions.weight[places]
        turns = self._turns(places) if self.spec.form == LLAMA else None
        for number, layer in enumerate(self.spec.layer_names):
            block = partial(self._block, layer, cache and cache[number], places, turns)
            again = self.spec.checkpoint and self.training
            x = checkpoint(block, x, use_reentrant=False) if again else block(x)
        return self.last_norm(x)

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        kernel = self.tokens.weight if self.spec.tied else self.likely.weight
        return functional.linear(x, kernel)

    def _block(
        self, layer: str, cache: Any, places: Any, turns: Turns | None, x: torch.Tensor
    ) -> torch.Tensor:
        x = plus(x, self._attention(layer, cache, places, turns, self._of(layer, "attention_norm")(x)))
        return plus(x, self._inner(layer, self._of(layer, "inner_norm")(x)))

    def _of(self, layer: str, name: str) -> nn.Module:
        return getattr(self, layer + name)  # in a third of get_submodule's time

    def _attention(
        self, layer: str, cache: Any, places: Any, turns: Turns | None, x: torch.Tensor
    ) -> torch.Tensor:
        """Of a prompt, or of one token to all that is in the cache."""
        heads = (
            self._of(layer, name)(x).unflatten(2, (-1, self.spec.head_width)).transpose(1, 2)
            for name in ("queries", "keys", "values")
        )
        queries, keys, values = heads
        if turns is not None:
            queries, keys = (turned(one, turns) for one in (queries, keys))
        seen = None
        if cache is not None:
            keys, values, seen = cache.with_more(keys, values, places)
        found = functional.scaled_dot_product_attention(
            queries,
            keys,
            values,
            seen,
            is_causal=queries.shape[2] > 1,
            enable_gqa=self.spec.kv_heads != self.spec.heads,
        )
        return self._of(layer, "attention")(found.transpose(1, 2).flatten(2))

    def _turns(self, places: Any) -> Turns:
        """Cosines and sines of these positions, [..., 1, words, head_width]: for all layers once."""
        cosines, sines = (one[places][..., None, :, :] for one in (self.cosines, self.sines))
        return cosines, sines

    def _inner(self, layer: str, x: torch.Tensor) -> torch.Tensor:
        up = self._of(layer, "up")(x)
        if self.spec.form == LLAMA:
            return self._of(layer, "down")(gated(self._of(layer, "gate")(x), up))
        return self._of(layer, "down")(gelu(up))


class Impl(InParts, Trainer):
    spec: Llm

    def network(self) -> nn.Module:
        return Net(self.spec)

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        return {"nll": net(batch["x"])}

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        return outputs["nll"].mean()

    def compile(self, data: Any, stage: str) -> None:
        """Narrows the weights, and loads the kernels of a GPU; in mode compile the second step is compiled for all."""
        if stage not in WRITING:
            super().compile(data, stage)
        elif self.mode == "compile" or self._loads_kernels:
            self.infer(data, np.arange(self.spec.predict_batch_size), stage)
        else:
            with torch.inference_mode():
                assert self._writer

    @torch.inference_mode()
    def prefill(self, data: Any, rows: np.ndarray) -> Read:
        prompts = data["x"][self._rows(rows), : self.spec.prompt_tokens]
        read = self._writer.read(prompts)
        torch_layers.at_rest(prompts)
        return read

    @torch.inference_mode()
    def decode(self, read: Read) -> Arrays:
        return {"tokens": self._writer.written(read).cpu().numpy().astype(np.int32)}

    @torch.inference_mode()
    def server(self, data: Any) -> SlotServer:
        return SlotServer(self._writer, data["x"][:, : self.spec.prompt_tokens])

    @cached_property
    def _writer(self) -> Writer:
        """In 16 bits of weights in 16 bits, which autocast would narrow anew for each token."""
        kind = StaticWriter if self.device == "cuda" else Writer
        return kind(self.net, self._narrow, self.mode == "compile")

    def _step(self, batch: Tensors) -> torch.Tensor:
        if self._narrow != self.dtype:
            self.__dict__.pop("_writer", None)  # whose copy of the weights is that of before
        return super()._step(batch)
