"""Generation in PyTorch by one step that repeats itself in the same memory: a GPU of NVIDIA records and replays it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suite.llm.torch_server import LayerSlots
from suite.llm.torch_writer import LayerCache, Read, Writer

WARM_UP = 2  # steps before one is recorded: they load kernels, and compile


class StaticWriter(Writer):
    """A token attends to all places of the cache, those to come hidden: one shape, and one recording, fits all."""

    def __init__(self, net: Any, kind: torch.dtype, compiled: bool) -> None:
        super().__init__(net, kind, compiled)
        self._steps: dict[int, Step] = {}  # by the prompts of a batch

    def read(self, prompts: torch.Tensor) -> Read:
        if (n := len(prompts)) not in self._steps:
            self._steps[n] = Step(self, n, prompts.device)
        cache = [LayerCache(one.keys, one.values) for one in self._steps[n].cache]
        return Read(cache, self.following(prompts, cache, 0))

    def written(self, read: Read) -> torch.Tensor:
        step = self._steps[len(read.token)]
        step.begin(read.token, self.spec.prompt_tokens)
        return torch.cat([read.token, *(step() for _ in range(self.spec.new_tokens - 1))], 1)


class Step:
    """Of a batch: reads its last token [n, 1] at its place, and writes the next over it."""

    def __init__(self, writer: Writer, n: int, device: torch.device) -> None:
        self._writer = writer
        self.cache = [LayerSlots.empty(writer.spec, n, writer.kind, device) for _ in writer.spec.layer_names]
        self._token, self._place = (torch.zeros(n, 1, dtype=torch.int64, device=device) for _ in range(2))
        self._again = recorded(self._once) if device.type == "cuda" else self._once

    def begin(self, token: torch.Tensor, place: int) -> None:
        self._token.copy_(token)
        self._place.fill_(place)

    def __call__(self) -> torch.Tensor:
        self._again()
        return self._token.clone()

    def _once(self) -> None:
        self._token.copy_(self._writer.following(self._token, self.cache, self._place))
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
