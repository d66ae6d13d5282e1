"""Generation in two parts, all prompts' tokens read at once, then one token after the other written; or as a server."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from suite.llm.serving import SlotServer, served
from suite.served import Served
from suite.spec import Arrays
from suite.task import INFER

GENERATE, SERVE = "generate", "serve"
WRITING = (GENERATE, SERVE)  # stages that do not go by samples as a training does
PREFILL, DECODE = "prefill", "decode"
ANSWER = "answer"  # all that a server does for a pass of requests


class InParts:
    """Before a trainer, whose `infer` it takes a stage's parts from."""

    spec: Any

    @abstractmethod
    def prefill(self, data: Any, rows: np.ndarray) -> Any:
        """Reads the prompts of these rows [n]; the caches and the first tokens, at rest."""

    @abstractmethod
    def decode(self, read: Any) -> Arrays:
        """All tokens [n, new_tokens] that follow, of what `prefill` gave."""

    @abstractmethod
    def server(self, data: Any) -> SlotServer:
        """All of its slots empty."""

    def serve(self, data: Any, rows: np.ndarray) -> Served:
        return served(self.server(data), self.spec, rows)

    def part(self, name: str, data: Any, rows: np.ndarray, before: Any) -> Any:
        return self.prefill(data, rows) if name == PREFILL else self.decode(before)

    def infer(self, data: Any, rows: np.ndarray, stage: str = INFER) -> Arrays:
        if stage == SERVE:
            return self.serve(data, rows).outputs
        if stage != GENERATE:
            return super().infer(data, rows, stage)  # type: ignore[misc]
        size = self.spec.predict_batch_size
        batches = [rows[first : first + size] for first in range(0, len(rows), size)]
        read = [
            self.prefill(data, batch) for batch in batches
        ]  # all before any is answered, as it is measured
        several = [self.decode(one) for one in read]
        return {name: np.concatenate([one[name] for one in several]) for name in several[0]}
