"""What epochs and passes computed, kept until some are worked out together.

After a framework has computed, NumPy's code and tables are in no cache any more: fingerprints one by one, between
epochs and passes, take ten times as long as one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suite import fingerprint

MOST_BYTES = 1 << 20  # kept: nothing beside a run's peak of memory
AT_ONCE_BYTES = 1 << 16  # worked on: what a processor has at hand, and an allocator without asking the kernel


class Epochs:
    """Of one training, with the answers of the evaluation after each; `truth` [n] are the classes of its rows."""

    def __init__(self, truth: np.ndarray) -> None:
        self._truth = truth
        self._kept: list[tuple[fingerprint.Epoch, np.ndarray, dict[str, str]]] = []
        self._told: list[dict[str, Any]] = []

    def add(self, trained: fingerprint.Epoch, scores: np.ndarray, state: str | None = None) -> None:
        """`state`: of what a fit without a loss has left (suite.fingerprint.of_state)."""
        self._kept.append((trained, scores, {} if state is None else {"state": state}))
        if len(self._kept) * (scores.nbytes + trained.rows.nbytes) > MOST_BYTES:
            self._work_out()

    def told(self) -> list[dict[str, Any]]:
        """As suite.fingerprint.of_epoch, in order."""
        self._work_out()
        return self._told

    def _work_out(self) -> None:
        if not self._kept:
            return
        scores = [one for _, one, _ in self._kept]
        at_once = max(1, AT_ONCE_BYTES // scores[0].nbytes)
        parts = (scores[start : start + at_once] for start in range(0, len(scores), at_once))
        answers = (one for part in parts for one in fingerprint.of_several_answers(part, self._truth))
        self._told += [
            fingerprint.of_epoch(trained, one) | state
            for (trained, _, state), one in zip(self._kept, answers, strict=True)
        ]
        self._kept.clear()


class Passes:
    """Of inference over one test set."""

    def __init__(self) -> None:
        self._kept: list[tuple[np.ndarray, np.ndarray]] = []
        self._most = 0  # of which so many are kept, since all are alike
        self._told: list[float | None] = []

    def add(self, scores: np.ndarray, rows: np.ndarray) -> None:
        """Scores [n, classes] for rows [n]."""
        self._kept.append((scores, rows))
        if len(self._kept) > self._most:
            self._most = MOST_BYTES // (scores.nbytes + rows.nbytes)
            self._work_out()

    def told(self) -> list[float | None]:
        """The projection of each (suite.fingerprint.projection), in order."""
        self._work_out()
        return self._told

    def _work_out(self) -> None:
        self._told += [fingerprint.projection(scores, rows) for scores, rows in self._kept]
        self._kept.clear()
