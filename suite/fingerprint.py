"""What a run leaves of all that it computed, in a few numbers: the runs of other frameworks are held against it.

Nothing here is anybody's word of what was done: losses and answers can be had only by computing them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suite.protocol import FINGERPRINT_PART

FIRST_STEPS = 8  # whose losses are told one by one, before rounding has grown


@dataclass(frozen=True)
class Epoch:
    """What an implementation's `train` has done. `rows` [steps, batch]: the indices that its steps took, in order.

    `losses` [steps], before each update; of a framework that tells their mean alone, [1]; of a fit without any, [0].
    """

    losses: np.ndarray
    rows: np.ndarray

    @property
    def loss(self) -> float | None:
        """The mean of all steps."""
        return float(np.mean(self.losses, dtype=np.float64)) if len(self.losses) else None


def of_epoch(trained: Epoch, answers: dict[str, Any]) -> dict[str, Any]:
    """`answers`: of the evaluation after it."""
    each = len(trained.losses) == len(trained.rows)
    losses = {"loss": _finite(trained.loss)} if trained.loss is not None else {}
    return {
        **losses,
        "first_losses": [_finite(float(loss)) for loss in trained.losses[:FIRST_STEPS]] if each else [],
        "steps": len(trained.rows),
        "samples": int(trained.rows.size),
        "rows": hash_of(trained.rows),
        "answers": answers,
    }


def of_answers(scores: np.ndarray, truth: np.ndarray) -> dict[str, float | None]:
    """Of scores [n, classes] for rows whose classes are `truth` [n]: their order changes the cross-entropy alone."""
    flat = scores.ravel()
    by_class = np.ascontiguousarray(scores.T)  # sums along its first axis are fast
    top = by_class.max(axis=0)
    spread = np.log(np.exp(by_class - top).sum(axis=0)) + top
    right = flat[np.arange(0, flat.size, scores.shape[1]) + truth]
    return {
        "sum": _finite(float(np.add.reduce(flat))),
        "norm": _finite(math.sqrt(np.vdot(flat, flat))),
        "cross_entropy": _finite(float(np.add.reduce(spread - right)) / len(truth)),
    }


def hash_of(rows: np.ndarray) -> str:
    """Of indices [steps, batch], whatever integers they are stored in."""
    shape = "x".join(map(str, rows.shape)).encode()
    return hashlib.sha256(shape + np.ascontiguousarray(rows, "<i8").tobytes()).hexdigest()[:16]


def parts(prints: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """As many as an event may hold, in order."""
    for start in range(0, len(prints), FINGERPRINT_PART):
        yield list(prints[start : start + FINGERPRINT_PART])


def _finite(number: float) -> float | None:
    """JSON has no other numbers."""
    return number if math.isfinite(number) else None
