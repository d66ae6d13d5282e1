"""Quality metrics on NumPy alone, so that every framework is judged by the same arithmetic."""

from __future__ import annotations

import numpy as np


def confusion(truth: np.ndarray, predicted: np.ndarray, classes: int) -> np.ndarray:
    """Counts [classes, classes]: row = true class, column = predicted class."""
    return np.bincount(truth * classes + predicted, minlength=classes * classes).reshape(classes, classes)


def classification(truth: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Accuracy and macro-averaged precision, recall and F1 of integer labels [n] against scores [n, classes].

    A class that was never predicted (or never occurs) counts with 0, as scikit-learn's `zero_division=0`.
    """
    counts = confusion(truth.astype(np.int64), scores.argmax(axis=1), scores.shape[1])
    hits = np.diag(counts).astype(float)
    precision = _ratio(hits, counts.sum(axis=0))
    recall = _ratio(hits, counts.sum(axis=1))
    f1 = _ratio(2 * precision * recall, precision + recall)
    return {
        "accuracy": float(hits.sum() / counts.sum()),
        "precision": float(precision.mean()),
        "recall": float(recall.mean()),
        "f1": float(f1.mean()),
    }


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0)
