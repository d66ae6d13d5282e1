"""Generation in PyTorch by one step that repeats itself in the same memory: a GPU of NVIDIA records and replays it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from suite.llm.torch_server import LayerSlots
from suite.llm.torch_writer import Following, Read, Writer

WARM_UP = 2  # steps before one is recorded: they load kernels, and compile


class StaticWriter(Writer):
    """A token attends to all places of the cache, those to come hidden: one shape, and one recording, fits all."""

    def __init__(self, net: Any, kind: torch.dtype, compiled: bool) -> None:
        super().__init__(net, kind, compiled)
        self._steps: dict[int, Step] = {}  # by the prompts of a batch

    def written(self, read: Read) -> torch.Tensor:
        """Several batches may have been read before: each has a cache of its own, which is copied."""
        if (n := len(read.token)) not in self._steps:
            cache = [
                LayerSlots.empty(self.spec, n, self.kind, read.token.device) for _ in self.spec.layer_names
            ]
            self._steps[n] = Step(self.following, cache, torch.zeros_like(read.token))
        step = self._steps[n]
        step.begin(read, self.spec.prompt_tokens)
        return torch.cat([read.token, *(step() for _ in range(self.spec.new_tokens - 1))], 1)


class Step:
    """Of a batch: reads its last token [n, 1] at its place, and writes the next over it."""

    def __init__(self, following: Following, cache: list[LayerSlots], token: torch.Tensor) -> None:
        self._cache, self._token, self._place = cache, token, torch.zeros_like(token)
        once = partial(self._once, following)
        self._again = recorded(once) if token.device.type == "cuda" else once

    def begin(self, read: Read, place: int) -> None:
        for own, given in zip(self._cache, read.cache, strict=True):
            own.keys.copy_(given.keys)
            own.values.copy_(given.values)
        self._token.copy_(read.token)
        self._place.fill_(place)

    def __call__(self) -> torch.Tensor:
        self._again()
        return self._token.clone()

    def _once(self, following: Following) -> None:
        self._token.copy_(following(self._token, self._cache, self._place))
        self._place.add_(1)


def recorded(work: Callable[[], None]) -> Callable[[], None]:
    """One call in place of all that the work makes, as a CUDA graph (pytorch.org: notes on CUDA graphs).

    `work` is done some times meanwhile, whose traces its caller must not mind.
    """
    beside = torch.cuda.Stream()
    beside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(beside):
        for _ in range(WARM_UP):
            work()
    torch.cuda.current_stream().wait_stream(beside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay
