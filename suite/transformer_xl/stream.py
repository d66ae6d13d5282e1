"""One run of words as columns that are read side by side, a segment of each at a time."""

from __future__ import annotations

import numpy as np

from suite.spec import Arrays


def cut(tokens: np.ndarray, columns: int, segment: int) -> Arrays:
    """Rows [steps * columns]: those of one step together, so that each goes on where that of the step before ended.

    x [n, segment + 1]: the words of a segment and the next one, so all its targets; begins [n]: whether a column does.
    """
    length = (len(tokens) - 1) // columns
    firsts = np.arange(0, length - segment + 1, segment)[:, np.newaxis] + length * np.arange(columns)
    x = np.lib.stride_tricks.sliding_window_view(tokens, segment + 1)[firsts.ravel()]
    return {"x": x, "begins": np.arange(len(x)) < columns}


def in_time(steps: np.ndarray, columns: int) -> np.ndarray:
    """The rows [steps, columns] of these steps."""
    return np.multiply.outer(steps, [columns]) + np.arange(columns)


def most_in_a_batch(found: np.ndarray, batch: int) -> int:
    """Of `found` [n], how often it is in each row, the most in a batch of rows that follow each other."""
    starts = np.arange(0, len(found), batch)
    return int(np.add.reduceat(found, starts).max(initial=0)) if len(starts) else 0
