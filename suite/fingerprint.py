"""What a run leaves of all that it computed, in a few numbers: the runs of other frameworks are held against it.

Nothing here is anybody's word of what was done: losses and answers can be had only by computing them.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from suite.protocol import FINGERPRINT_PART
from suite.task import SCORES

FIRST_STEPS = 8  # whose losses are told one by one, before rounding has grown
STATE_ENTRIES = 4096  # at most so many of an array
ITEM_ROWS = 256  # of a test set, whose whole numbers are told
ITEM_COLUMNS = 2048  # of rows in which they stand one after the other, as tokens: at most
ITEM_DIGITS = 4  # of each such row, or column: another answer has the same once in 65 536 times
PART_BYTES = 1 << 17  # of one event, about

NAMES = ("sum", "norm", "cross_entropy")
Print = float | str | None  # a number, None where it is not finite, or whole numbers' (`items_of`)
Answers = dict[str, Print]


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


def of_outputs(
    outputs: Mapping[str, np.ndarray], classes: np.ndarray | None = None, rows: np.ndarray | None = None
) -> Answers:
    """Of named outputs [n, ...] for `rows` [n] of the test set (None: as they lie), in whatever order these are.

    Of whole numbers those of some rows (`items_of`), by which sequences first differ, too (`columns_of`); of others
    their sum, norm and projection; of a classifier's scores, whose right ones are `classes` [n], the cross-entropy too.
    Those of scores bear no name.
    """
    told: Answers = {}
    for name, array in outputs.items():
        one = of_answers(array, classes, rows) if array.dtype.kind == "f" else of_items(array, rows)
        told |= {named(name, word): value for word, value in one.items()}
    return told


def of_pass(outputs: Mapping[str, np.ndarray], rows: np.ndarray) -> Print | Answers:
    """As little as tells kept answers from new ones: the projection of scores, of several outputs one of each."""
    found: Answers = {
        name: projection(array, rows) if array.dtype.kind == "f" else items_of(array, rows)
        for name, array in outputs.items()
    }
    return found[SCORES] if list(found) == [SCORES] else found


def named(output: str, word: str) -> str:
    """As `of_outputs` names it."""
    return word if output == SCORES else f"{output}/{word}"


def by_output(told: Any) -> Mapping[str, Print]:
    """What `of_pass` told, the projection or the items of each output."""
    return told if isinstance(told, Mapping) else {SCORES: told}


def of_items(answers: np.ndarray, rows: np.ndarray | None = None) -> Answers:
    """Of whole numbers [n, ...] for `rows` [n] of the test set."""
    columns = {"columns": columns_of(answers, rows)} if answers.ndim == 2 else {}
    return {"items": items_of(answers, rows), **columns}


def items_of(answers: np.ndarray, rows: np.ndarray | None = None) -> str:
    """Of whole numbers [n, ...] for `rows` [n] of the test set: a short hash of each of some rows, always the same.

    In whatever order they were asked for; zeros behind the others, which pad a row, are none.
    """
    return _hashes(_some_of(answers, rows))


def columns_of(answers: np.ndarray, rows: np.ndarray | None = None) -> str:
    """As `items_of`, of whole numbers [n, length] that are chosen one after the other: a hash of each column."""
    return _hashes(_some_of(answers, rows).T[:ITEM_COLUMNS])


def _some_of(answers: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    """Those whose whole numbers are told, [rows, items]."""
    some = _sampled(len(answers))
    return answers[some if rows is None else _places(rows)[some]].reshape(len(some), -1)


def _hashes(items: np.ndarray) -> str:
    """Of each row."""
    sums = (items.astype(np.uint64) * _weights(items.shape[1])).sum(axis=1, dtype=np.uint64)
    return (sums >> np.uint64(48)).astype(">u2").tobytes().hex()


def items_apart(one: str, other: str) -> float:
    """The share of rows that differ; of two hashes, 0 where they are the same."""
    if len(one) != len(other):
        return 1.0
    differ = [mine != theirs for mine, theirs in zip(_each(one), _each(other), strict=True)]
    return sum(differ) / len(differ)


def first_apart(one: str, other: str) -> int | None:
    """The first column that differs, from 0; None where none does. What one has less of are zeros, which pad rows."""
    pairs = zip_longest(_each(one), _each(other), fillvalue=ITEM_DIGITS * "0")
    return next((column for column, (mine, theirs) in enumerate(pairs) if mine != theirs), None)


def _each(hashes: str) -> list[str]:
    return [hashes[start : start + ITEM_DIGITS] for start in range(0, len(hashes), ITEM_DIGITS)]


@functools.cache
def _sampled(samples: int) -> np.ndarray:
    return np.sort(np.random.default_rng(0).permutation(samples)[:ITEM_ROWS])


def _places(rows: np.ndarray) -> np.ndarray:
    """Where each row of the test set stands."""
    found = np.empty(len(rows), np.intp)
    found[rows] = np.arange(len(rows))
    return found


@functools.cache
def _weights(items: int) -> np.ndarray:
    """Of the items of a row, modulo 2 ** 64; of a wider row the first ones are the same."""
    return np.random.default_rng(0).integers(0, 1 << 64, items, np.uint64) | np.uint64(1)


def of_answers(scores: np.ndarray, classes: np.ndarray | None, rows: np.ndarray | None = None) -> Answers:
    """Of scores [n, ...] for `rows` [n] of the test set (None: as they lie).

    No order of the rows changes it, as long as every answer is its own row's.
    """
    if classes is not None and scores.ndim == 2:
        return of_several_answers([scores], classes, rows)[0]
    wide, rows = _wide(scores), np.arange(len(scores)) if rows is None else rows
    sum_and_norm = {"sum": _finite(float(wide.sum())), "norm": _finite(float(np.linalg.norm(wide)))}
    return {**sum_and_norm, "projection": projection(scores, rows)}


@np.errstate(over="ignore", invalid="ignore")  # what is no finite number is told as null
def of_several_answers(
    several: Sequence[np.ndarray], truth: np.ndarray, rows: np.ndarray | None = None
) -> list[Answers]:
    """As `of_answers`, of several evaluations of a classifier at once: many small calls cost more than they compute."""
    several = [_wide(one) for one in several]
    scores = np.stack(several)
    flat = scores.reshape(len(scores), -1)
    by_class = np.ascontiguousarray(np.moveaxis(scores, 2, 0))  # sums along its first axis are fast
    top = by_class.max(axis=0)
    spread = np.log(np.exp(by_class - top).sum(axis=0)) + top
    right = scores[:, np.arange(len(truth)), truth]
    columns = (
        flat.sum(axis=1),
        np.sqrt((flat * flat).sum(axis=1)),
        (spread - right).mean(axis=1),
    )
    rows = np.arange(len(truth)) if rows is None else rows
    told = zip(*(column.tolist() for column in columns), strict=True)
    found: list[Answers] = []
    for one, each in zip(several, told, strict=True):
        found.append({name: _finite(value) for name, value in zip(NAMES, each, strict=True)})
        found[-1]["projection"] = projection(one, rows)
    return found


def projection(scores: np.ndarray, rows: np.ndarray) -> float | None:
    """One number in which each answer weighs by its row and class: of every pass, so at the cost of two products.

    Answers kept from another pass, tiled, rounded, or of other weights give another one; right ones, in whatever
    order, the same. The weights are random, so that it differs by about the norm of what differs.
    """
    scores = _wide(scores).reshape(len(scores), -1)
    of_classes, of_rows = _directions(scores.shape, scores.dtype)
    return _finite(float(scores.dot(of_classes).dot(of_rows.take(rows))))


def _wide(scores: np.ndarray) -> np.ndarray:
    """Sums and products of 16 bits, or of whole numbers, tell nothing."""
    return scores if scores.dtype in (np.float32, np.float64) else scores.astype(np.float32)


@functools.cache
def _directions(shape: tuple[int, int], dtype: np.dtype[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal weights of classes and of rows."""
    generator = np.random.default_rng(0)
    of_classes, of_rows = generator.standard_normal(shape[1]), generator.standard_normal(shape[0])
    return of_classes.astype(dtype), of_rows.astype(dtype)


def hash_of(rows: np.ndarray) -> str:
    """Of indices [steps, batch], whatever integers they are stored in."""
    shape = "x".join(map(str, rows.shape)).encode()
    return hashlib.sha256(shape + np.ascontiguousarray(rows, "<i8").tobytes()).hexdigest()[:16]


def parts(prints: Sequence[Any]) -> Iterator[list[Any]]:
    """As many as an event may hold, in order; all are about as long as the first."""
    if not prints:
        return
    most = max(1, min(FINGERPRINT_PART, PART_BYTES // len(json.dumps(prints[0]))))
    for start in range(0, len(prints), most):
        yield list(prints[start : start + most])


def _finite(number: float) -> float | None:
    """JSON has no other numbers."""
    return number if math.isfinite(number) else None
