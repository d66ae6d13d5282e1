"""The face that every `suite/<workload>/<framework>_impl.py` shows as its class `Impl`."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from suite.fingerprint import Epoch
from suite.spec import Arrays, Spec


class Implementation(Protocol):
    """One framework's code of a workload. Conversions of layout stay inside; all arrays here are canonical.

    `place` may be called before or after construction-time work; what it returns is opaque to the caller.
    Every method returns only when the device is at rest, so that a phase mark may follow at once.
    """

    def __init__(self, spec: Spec, weights: Arrays, dtype: str, device: str) -> None:
        """Builds the model from canonical weights; `dtype` is float32 or float64, `device` cpu or cuda."""

    def place(self, x: np.ndarray, y: np.ndarray) -> Any:
        """Moves inputs [n, ...] and integer labels [n] to where the framework computes fastest."""

    def compile(self, tested: Any, trained: Any = None) -> None:
        """Traces and compiles `predict` for one set and, if there is one to train on, `train`; changes no weight."""

    def train(self, data: Any, order: np.ndarray) -> Epoch:
        """One epoch over the batches `order` [steps, batch], by the fast idiom; what its steps took and lost."""

    def predict(self, data: Any, rows: np.ndarray) -> np.ndarray:
        """Class scores [len(rows), classes] of these samples, in the order of `rows`."""

    def params(self) -> Arrays:
        """The trained state under the canonical names: what `weights` of a new instance takes."""


class Provable(Implementation, Protocol):
    """What gradient-trained implementations offer besides, for the proof of equal work; never measured."""

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        """One training step on one batch; its loss before the update."""

    def grads(self, x: np.ndarray, y: np.ndarray) -> Arrays:
        """The loss's gradients at the current weights, canonical names and layout."""
