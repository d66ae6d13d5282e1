"""The words in which a spec says what its task is judged by and counted in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """Of which of two values of a metric is the better one."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True)
class Metric:
    """A quality that `evaluate` tells. `unit`: "" of a share from 0 to 1 and of a plain number."""

    name: str
    title: str
    direction: Direction = Direction.HIGHER
    unit: str = ""

    def is_better(self, one: float, other: float) -> bool:
        return one > other if self.direction is Direction.HIGHER else one < other


CLASSIFICATION = (
    Metric("accuracy", "accuracy"),
    Metric("precision", "precision"),
    Metric("recall", "recall"),
    Metric("f1", "F1"),
)
SAMPLE = "sample"  # the unit of work that every task counts
TRAIN, INFER = "train", "infer"  # stages; a task may have others, with names of its own
SCORES = "scores"  # the output of a classifier, whose numbers need no name before them
