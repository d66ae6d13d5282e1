"""A toy that is no classifier: sequences to sequences, judged by an edit distance, counted in tokens.

It asks for all that a spec may ask of a trainer: batches made on the host, cut to their longest sequence; dropout; a
state that goes from batch to batch; a schedule, clipping and weight decay; a training in iterations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from suite.dropout import Site
from suite.iterations import InIterations
from suite.neural import glorot_uniform
from suite.spec import Arrays, Profile, Spread
from suite.task import INFER, SAMPLE, TRAIN, Direction, Metric

WORDS, LENGTH, WIDTH = 12, 8, 16
RESERVED = 3  # numbers of a sentence for the judge that are no words, beside 0
SEEN = "seen"  # the site of dropout
REMEMBERED = 0.1  # of the mean of the batch before
GENERATE = "generate"


@dataclass(frozen=True)
class Cipher(InIterations):
    """Each word's translation is the next one; 0 is padding."""

    name = "cipher"
    title = "A cipher on short sequences"
    source = "none"
    datasets = ("cipher",)
    stages = (TRAIN, INFER, GENERATE)
    evaluated_by = GENERATE
    metrics = (Metric("edit_distance", "edit distance", Direction.LOWER, "edits"), Metric("bleu", "BLEU"))
    judged_on_host = ("bleu",)
    units = (SAMPLE, "token")
    targets = ("target",)
    quality_floor = {"cipher": 1.0}  # noqa: RUF012
    premade = True
    spread = Spread(start=0.1)  # each framework drops others
    profiles = {"quick": Profile(("cipher",), {"infer_passes": 100})}  # noqa: RUF012

    optimizer: str = "adam"
    learning_rate: float = 0.02
    weight_decay: float = 0.125
    clip_norm: float = 0.05
    dropout: float = 0.1
    iterations: int = 60
    evaluate_every: int = 20
    batch_size: int = 16
    predict_batch_size: int = 16

    def initial_weights(self, seed: int) -> Arrays:
        generator = np.random.default_rng(seed)
        shapes = {"embedding/embeddings": (WORDS, WIDTH), "dense/kernel": (WIDTH, WORDS)}
        weights = {name: glorot_uniform(generator, shape) for name, shape in shapes.items()}
        return {**weights, "dense/bias": np.zeros(WORDS)}

    def inputs(self, raw: Arrays, dtype: str) -> Arrays:
        return raw

    def rates(self, first: int, steps: int) -> np.ndarray:
        """A linear warm-up over ten steps."""
        return self.learning_rate * np.minimum(1.0, np.arange(first + 1, first + steps + 1) / 10)

    def order(self, data: Arrays, seed: int, epoch: int) -> np.ndarray:
        """In each batch sequences of about one length."""
        rows = super().order(data, seed, epoch)
        lengths = (data["source"] > 0).sum(axis=1)
        return rows.ravel()[np.argsort(lengths[rows.ravel()], kind="stable")].reshape(rows.shape)

    def batch(self, data: Arrays, rows: np.ndarray) -> Arrays:
        given = {name: np.asarray(array[rows]) for name, array in data.items()}
        if "target" not in given:
            return given
        longest = int((given["source"] > 0).sum(axis=1).max())
        return {name: array[:, :longest] for name, array in given.items()}

    def sites(self) -> Mapping[str, Site]:
        return {SEEN: Site(self.dropout, (LENGTH, WIDTH))}

    def carried(self, samples: int) -> Mapping[str, tuple[int, ...]]:
        return {"memory": (samples, WIDTH)}

    def counted(self, data: Arrays, rows: np.ndarray, outputs: Arrays | None = None) -> dict[str, int]:
        return {SAMPLE: rows.size, "token": int((data["source"][rows.ravel()] > 0).sum())}

    def examples(self, count: int, seed: int) -> Arrays:
        generator = np.random.default_rng(seed)
        words = generator.integers(1, WORDS, (count, LENGTH))
        source = np.where(np.arange(LENGTH) < generator.integers(3, LENGTH + 1, (count, 1)), words, 0)
        return {"source": source, "target": np.where(source > 0, source % (WORDS - 1) + 1, 0)}

    def for_judges(self, outputs: Arrays) -> Arrays:
        return {"tokens": for_the_judge(chosen(outputs))}

    @property
    def judged_below(self) -> int:
        return WORDS + RESERVED

    def evaluate(self, data: Arrays, outputs: Arrays) -> dict[str, float]:
        """Of the words that were generated, or would be by these scores."""
        pairs = zip(data["target"], chosen(outputs) * (data["source"] > 0), strict=True)
        return {"edit_distance": float(np.mean([edits(*(one[one > 0] for one in pair)) for pair in pairs]))}


def chosen(outputs: Arrays) -> np.ndarray:
    return outputs["tokens"] if "tokens" in outputs else outputs["logits"].argmax(-1)


def for_the_judge(words: np.ndarray) -> np.ndarray:
    return np.where(words > 0, words + RESERVED, 0)


def edits(wanted: np.ndarray, found: np.ndarray) -> int:
    """Levenshtein's."""
    row = np.arange(len(found) + 1)
    for number, word in enumerate(wanted, 1):
        above, row = row, np.full(len(found) + 1, number)
        for place, other in enumerate(found, 1):
            row[place] = min(above[place] + 1, row[place - 1] + 1, above[place - 1] + (word != other))
    return int(row[-1])


SPEC = Cipher()
