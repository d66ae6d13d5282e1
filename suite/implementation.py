"""The faces that a `suite/<workload>/<framework>_impl.py` shows as its class `Impl`, the smallest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from suite.fingerprint import Epoch
from suite.served import Served
from suite.spec import Arrays, Spec
from suite.task import INFER


class Implementation(Protocol):
    """One framework's code of a workload: all that a framework needs that only infers.

    Conversions of layout stay inside; all arrays here are canonical. What `place` returns is opaque to the caller.
    Every method returns only when the device is at rest, so that a phase mark may follow at once.
    """

    def __init__(self, spec: Spec, weights: Arrays, dtype: str, device: str) -> None:
        """Builds the model from canonical weights; `dtype` is float32 or float64, `device` cpu or cuda."""

    def place(self, data: Arrays) -> Any:
        """Moves named arrays [n, ...] to where the framework computes fastest; of premade batches nothing yet."""

    def compile(self, data: Any, stage: str) -> None:
        """Traces and compiles what a stage does with such data; changes no weight."""

    def infer(self, data: Any, rows: np.ndarray, stage: str = INFER) -> Arrays:
        """Named outputs [len(rows), ...] for these samples, in the order of `rows`."""

    def params(self) -> Arrays:
        """The trained state under the canonical names: what `weights` of a new instance takes."""


@runtime_checkable
class Shaped(Protocol):
    """Who tells what `params` would give without a copy of it, which of a large model takes seconds and gigabytes."""

    def weight_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """By the canonical names."""


class Parted(Implementation, Protocol):
    """What has a stage of which the spec names parts, as `prefill` and `decode`, that are measured apart."""

    def part(self, name: str, data: Any, rows: np.ndarray, before: Any) -> Any:
        """One part for one batch: of the last part its named outputs [len(rows), ...], else what the next one takes.

        `before`: what the part before gave of the same rows, which is nobody's afterwards; None of the first part.
        All parts one after the other are `infer` of these rows.
        """


class Serving(Implementation, Protocol):
    """What has a stage to which requests come one by one (`Spec.arriving`)."""

    def serve(self, data: Any, rows: np.ndarray) -> Served:
        """Answers to these rows, which arrive in this order; its outputs are those of `infer`."""


class Trainable(Implementation, Protocol):
    """What has a stage `train`."""

    def train(self, data: Any, order: np.ndarray) -> Epoch:
        """One epoch over the batches `order` [steps, batch], by the fast idiom; what its steps took and lost."""


class Provable(Trainable, Protocol):
    """What gradient-trained implementations offer besides, for the proof of equal work; never measured."""

    def outputs(self, batch: Arrays) -> Arrays:
        """Named outputs for one batch."""

    def step(self, batch: Arrays) -> float:
        """One training step on one batch; its loss before the update."""

    def grads(self, batch: Arrays) -> Arrays:
        """The loss's gradients at the current weights, canonical names and layout."""


@runtime_checkable
class Rewindable(Provable, Protocol):
    """What of those compile for each instance anew, so that the proof puts one back instead of making another."""

    def memory(self) -> Any:
        """A copy of all that training changes."""

    def rewind(self, memory: Any) -> None:
        """As it was then; what was compiled since stays."""
