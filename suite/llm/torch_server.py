"""Continuous batching in PyTorch: slots of one cache, each at a place of its own."""

from __future__ import annotations

import numpy as np
import torch

from suite.llm.torch_writer import LayerCache, Seen, Writer


class LayerSlots(LayerCache):
    """A layer's keys and values of all slots; of each there are more or fewer that its request has written."""

    def with_more(self, keys: torch.Tensor, values: torch.Tensor, places: torch.Tensor) -> Seen:
        """Of each slot one more [slots, kv_heads, 1, head_width], at its own place [slots, 1]."""
        where = places[:, None, :, None].expand_as(keys)
        self.keys.scatter_(2, where, keys)
        self.values.scatter_(2, where, values)
        all_places = torch.arange(self.keys.shape[2], device=places.device)
        return self.keys, self.values, (all_places <= places)[:, None, None]

    def of(self, slot: int) -> LayerCache:
        """One slot's own, of a batch of one."""
        return LayerCache(self.keys[slot : slot + 1], self.values[slot : slot + 1])


class SlotServer:
    """Prompts [n, prompt_tokens] that a writer answers; as suite.llm.serving.SlotServer."""

    def __init__(self, writer: Writer, prompts: torch.Tensor) -> None:
        spec, self.writer, self.prompts = writer.spec, writer, prompts
        slots, device = spec.predict_batch_size, prompts.device
        self.cache = [LayerSlots.empty(spec, slots, writer.kind, device) for _ in spec.layer_names]
        self.tokens = torch.zeros(slots, 1, dtype=torch.int64, device=device)

    @torch.inference_mode()
    def read(self, row: int, slot: int) -> None:
        """Into memory that is there: what the slot held before lies beyond what its new request sees."""
        of_slot = [layer.of(slot) for layer in self.cache]
        self.tokens[slot] = self.writer.following(self.prompts[row : row + 1], of_slot, 0)[0]

    @torch.inference_mode()
    def step(self, places: np.ndarray) -> np.ndarray:
        at = torch.from_numpy(places).to(self.tokens.device, torch.int64)[:, None]
        read, self.tokens = self.tokens, self.writer.following(self.tokens, self.cache, at)
        return torch.cat([read, self.tokens], 1).T.cpu().numpy()
