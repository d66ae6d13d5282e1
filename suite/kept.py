"""What epochs and passes computed, kept until some are worked out together.

After a framework has computed, NumPy's code and tables are in no cache any more: fingerprints one by one, between
epochs and passes, take ten times as long as one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suite import fingerprint
from suite.spec import Arrays
from suite.task import SCORES

MOST_BYTES = 1 << 20  # kept: nothing beside a run's peak of memory
AT_ONCE_BYTES = 1 << 16  # worked on: what a processor has at hand, and an allocator without asking the kernel


class Epochs:
    """Of one training, with the outputs of the evaluation after each; `classes` [n] are those of a classifier."""

    def __init__(self, classes: np.ndarray | None) -> None:
        self._classes = classes
        self._kept: list[tuple[fingerprint.Epoch, Arrays, dict[str, str]]] = []
        self._told: list[dict[str, Any]] = []

    def add(self, trained: fingerprint.Epoch, outputs: Arrays, state: str | None = None) -> None:
        """`state`: of what a fit without a loss has left (suite.fingerprint.of_state)."""
        self._kept.append((trained, outputs, {} if state is None else {"state": state}))
        if len(self._kept) * (_bytes(outputs) + trained.rows.nbytes) > MOST_BYTES:
            self._work_out()

    def told(self) -> list[dict[str, Any]]:
        """As suite.fingerprint.of_epoch, in order."""
        self._work_out()
        return self._told

    def _work_out(self) -> None:
        answers = self._answers([outputs for _, outputs, _ in self._kept])
        self._told += [
            fingerprint.of_epoch(trained, one) | state
            for (trained, _, state), one in zip(self._kept, answers, strict=True)
        ]
        self._kept.clear()

    def _answers(self, outputs: list[Arrays]) -> list[fingerprint.Answers]:
        """A classifier's, whose shapes are alike, several at once."""
        if not outputs or self._classes is None or list(outputs[0]) != [SCORES]:
            return [fingerprint.of_outputs(one, self._classes) for one in outputs]
        scores = [one[SCORES] for one in outputs]
        at_once = max(1, AT_ONCE_BYTES // scores[0].nbytes)
        parts = (scores[start : start + at_once] for start in range(0, len(scores), at_once))
        return [one for part in parts for one in fingerprint.of_several_answers(part, self._classes)]


class Passes:
    """Of inference over one test set."""

    def __init__(self) -> None:
        self._kept: list[tuple[Arrays, np.ndarray]] = []
        self._most = 0  # of which so many are kept, since all are alike
        self._told: list[Any] = []

    def add(self, outputs: Arrays, rows: np.ndarray) -> None:
        """Outputs [n, ...] for rows [n]."""
        self._kept.append((outputs, rows))
        if len(self._kept) > self._most:
            self._most = MOST_BYTES // (_bytes(outputs) + rows.nbytes)
            self._work_out()

    def told(self) -> list[Any]:
        """Of each, in order (suite.fingerprint.of_pass)."""
        self._work_out()
        return self._told

    def _work_out(self) -> None:
        self._told += [fingerprint.of_pass(outputs, rows) for outputs, rows in self._kept]
        self._kept.clear()


def _bytes(outputs: Mapping[str, np.ndarray]) -> int:
    return sum(array.nbytes for array in outputs.values())
