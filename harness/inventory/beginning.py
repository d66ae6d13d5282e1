"""What a run begins with, where a file of somebody's training gives weights: those, laid over what the seed draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from harness.errors import UsageError
from suite.spec import Arrays, SettingError, Spec

DTYPE = np.float32  # of every measured run's weights, as the frameworks would round them
SHOWN = 3  # names in a message


@dataclass(frozen=True)
class Beginning:
    """`weights` of the whole network by canonical name, float32; `drawn`: names of those that the seed gave.

    `left`: the file's tensors that are not used -> why.
    """

    weights: Arrays
    drawn: tuple[str, ...]
    left: Mapping[str, str]

    @property
    def told(self) -> str:
        """In words: "265 of 267 arrays; random stay dense/bias, dense/kernel; left out: 2 of 10 classes, not of 16"."""
        total = len(self.weights)
        words = f"{total - len(self.drawn)} of {total} arrays; "
        words += f"random stay {_shown(self.drawn)}" if self.drawn else "none stays random"
        left = ", ".join(f"{count} {why}" for why, count in Counter(self.left.values()).items())
        return f"{words}; left out: {left}" if left else words


def beginning(spec: Spec, seed: int, tensors: Arrays) -> Beginning:
    """Raises: UsageError with what does not fit the workload as it is set."""
    try:
        found = spec.from_checkpoint(tensors)
    except SettingError as error:
        raise UsageError(str(error)) from error
    drawn = spec.initial_weights(seed)
    weights = {name: array.astype(DTYPE) for name, array in drawn.items()}
    for name, array in found.weights.items():
        weights[name] = _sound(name, array, weights[name].shape)
    return Beginning(weights, tuple(sorted(set(drawn) - set(found.weights))), found.left)


def _sound(name: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if array.shape != shape:
        raise UsageError(
            f"its {name} is of shape {list(array.shape)}, not {list(shape)}: is it of another network?"
        )
    if array.dtype.kind != "f":
        raise UsageError(
            f"its {name} is of {array.dtype}, and weights are of floating point: convert it again"
        )
    with np.errstate(over="ignore"):  # what is too large for 32 bits is said below
        found = np.ascontiguousarray(array, DTYPE)
    if not np.isfinite(found).all():
        raise UsageError(f"its {name} has numbers that are not finite in 32 bits: that training had failed")
    if name.endswith("/variance") and (found < 0).any():
        raise UsageError(
            f"its {name} has negative numbers, which no variance is: the file is damaged or mixed up"
        )
    return found


def _shown(names: tuple[str, ...]) -> str:
    words = ", ".join(names[:SHOWN])
    return f"{words} and {len(names) - SHOWN} more" if len(names) > SHOWN else words
