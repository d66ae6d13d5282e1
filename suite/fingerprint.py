"""What a run leaves of all that it computed, in a few numbers: the runs of other frameworks are held against it.

Nothing here is anybody's word of what was done: losses and answers can be had only by computing them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suite.protocol import FINGERPRINT_PART

FIRST_STEPS = 8  # whose losses are told one by one, before rounding has grown
STATE_ENTRIES = 4096  # at most so many of an array
KEPT_BYTES = 1 << 16  # of scores: what a processor keeps at hand, and nothing beside a run's peak of memory

Answers = dict[str, float | None]


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


def of_state(arrays: Mapping[str, np.ndarray]) -> str:
    """Of what a fit without a loss has left: some entries of every array. Another order of samples leaves another."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        flat = array.ravel()
        digest.update(name.encode() + np.ascontiguousarray(flat[:: flat.size // STATE_ENTRIES + 1]).tobytes())
    return digest.hexdigest()[:16]


def of_answers(scores: np.ndarray, truth: np.ndarray) -> Answers:
    """Of scores [n, classes] for rows whose classes are `truth` [n]: their order changes the cross-entropy alone."""
    return _of_several(scores[np.newaxis], truth[np.newaxis])[0]


class Passes:
    """Of many passes over one set, worked out some at a time: so many small calls would cost more than they compute."""

    def __init__(self) -> None:
        self._told: list[Answers] = []
        self._kept: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, scores: np.ndarray, truth: np.ndarray) -> None:
        """As `of_answers`."""
        self._kept.append((scores, truth))
        if len(self._kept) * scores.nbytes >= KEPT_BYTES:
            self._work_out()

    def told(self) -> list[Answers]:
        """One a pass, in order."""
        self._work_out()
        return self._told

    def _work_out(self) -> None:
        if self._kept:
            self._told += _of_several(*map(np.stack, zip(*self._kept, strict=True)))
            self._kept.clear()


def _of_several(scores: np.ndarray, truth: np.ndarray) -> list[Answers]:
    """Scores [passes, n, classes], classes [passes, n]."""
    flat = scores.reshape(len(scores), -1)
    by_class = np.ascontiguousarray(np.moveaxis(scores, 2, 0))  # sums along its first axis are fast
    top = by_class.max(axis=0)
    spread = np.log(np.exp(by_class - top).sum(axis=0)) + top
    right = np.take_along_axis(scores, truth[..., np.newaxis], 2)[..., 0]
    columns = (
        flat.sum(axis=1),
        np.sqrt(np.einsum("ij,ij->i", flat, flat)),
        (spread - right).sum(axis=1) / truth.shape[1],
    )
    names = ("sum", "norm", "cross_entropy")
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(names, map(_finite, row), strict=True)) for row in rows]


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
