"""Sentences of like length together: a few shapes, fixed by the spec, which every framework compiles and computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.spec import Arrays, Spec
from suite.task import INFER, TRAIN

SENTENCES = ("source", "target")
ROWS_AT_ONCE = 1 << 16  # of memory-mapped data: bounds memory


def lengths(sentences: np.ndarray) -> np.ndarray:
    """Words [n] of rows [n, most], which are padded behind by 0."""
    starts = range(0, len(sentences), ROWS_AT_ONCE)
    found = [np.count_nonzero(sentences[start : start + ROWS_AT_ONCE], axis=1) for start in starts]
    return np.concatenate(found) if found else np.zeros(0, int)


def longest(data: Arrays) -> np.ndarray:
    """Words [n] of the longer of a sample's sentences."""
    return np.maximum.reduce([lengths(data[name]) for name in SENTENCES if name in data])


class ByLength:
    """Before a trainer: every shape is compiled ahead, and answers are asked for from the shortest sentence on."""

    spec: Spec

    def compile(self, data: Arrays, stage: str) -> None:
        words = longest(data)
        shapes = self.spec.padded(words)  # type: ignore[attr-defined]
        for length in np.unique(shapes):
            rows = np.full(self.spec.batch_size if stage == TRAIN else 1, np.flatnonzero(shapes == length)[0])
            super().compile({name: array[rows] for name, array in data.items()}, stage)  # type: ignore[misc]

    def infer(self, data: Arrays, rows: np.ndarray, stage: str = INFER) -> Any:
        """A first batch that is smaller is filled up with the shortest: one size of batches for all."""
        order = np.argsort(longest(data)[rows], kind="stable")
        missing = -len(rows) % self.spec.predict_batch_size  # type: ignore[attr-defined]
        asked = np.concatenate([np.repeat(rows[order[:1]], missing), rows[order]])
        outputs = super().infer(data, asked, stage)  # type: ignore[misc]
        places = np.argsort(order) + missing
        return {name: array[places] for name, array in outputs.items()}
