"""Generation in two parts: all prompts' tokens are read at once, then one token after the other is written."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from suite.spec import Arrays
from suite.task import INFER

GENERATE = "generate"
PREFILL, DECODE = "prefill", "decode"


class InParts:
    """Before a trainer, whose `infer` it takes a stage's parts from; one batch at a time."""

    spec: Any

    @abstractmethod
    def prefill(self, data: Any, rows: np.ndarray) -> Any:
        """Reads the prompts of these rows [n]; the caches and the first tokens, at rest."""

    @abstractmethod
    def decode(self, read: Any) -> Arrays:
        """All tokens [n, new_tokens] that follow, of what `prefill` gave."""

    def part(self, name: str, data: Any, rows: np.ndarray, before: Any) -> Any:
        return self.prefill(data, rows) if name == PREFILL else self.decode(before)

    def infer(self, data: Any, rows: np.ndarray, stage: str = INFER) -> Arrays:
        if stage != GENERATE:
            return super().infer(data, rows, stage)  # type: ignore[misc]
        size = self.spec.predict_batch_size
        batches = [rows[first : first + size] for first in range(0, len(rows), size)]
        several = [self.decode(self.prefill(data, batch)) for batch in batches]
        return {name: np.concatenate([one[name] for one in several]) for name in several[0]}
