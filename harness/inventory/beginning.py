"""What a run begins with, where a file of somebody's training gives weights: those, laid over what the seed draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from harness.errors import UsageError
from harness.files import tensor_files
from suite.spec import Arrays, SettingError, Spec

DTYPE = np.float32  # of every measured run's weights, as the frameworks would round them
SHOWN = 3  # names in a message


@dataclass(frozen=True)
class Laid(Mapping[str, np.ndarray]):
    """Arrays of a file over drawn ones, float32; each is made when it is asked for, and kept by nobody here."""

    file: Mapping[str, np.ndarray]
    drawn: Mapping[str, np.ndarray]  # of the whole network, unless the file has all of it
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> np.ndarray:
        array = (self.file if name in self.file else self.drawn)[name]
        return np.ascontiguousarray(tensor_files.numbers(array), DTYPE)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Beginning:
    """`weights` of the whole network by canonical name; `drawn`: names of those that the seed gave.

    `left`: the file's tensors that are not used -> why.
    """

    weights: Laid
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
    shapes = spec.shapes_of_weights
    for name, array in found.weights.items():
        _require_sound(name, array, shapes[name])
    drawn = tuple(sorted(shapes.keys() - found.weights.keys()))
    weights = Laid(found.weights, spec.initial_weights(seed) if drawn else {}, tuple(shapes))
    return Beginning(weights, drawn, found.left)


def _require_sound(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise UsageError(
            f"its {name} is of shape {list(array.shape)}, not {list(shape)}: is it of another network?"
        )
    given = tensor_files.numbers(array)
    if given.dtype.kind != "f":
        raise UsageError(
            f"its {name} is of {given.dtype}, and weights are of floating point: convert it again"
        )
    with np.errstate(over="ignore"):  # what is too large for 32 bits is said below
        found = np.asarray(given, DTYPE)
    if not np.isfinite(found).all():
        raise UsageError(f"its {name} has numbers that are not finite in 32 bits: that training had failed")
    if name.endswith("/variance") and (found < 0).any():
        raise UsageError(
            f"its {name} has negative numbers, which no variance is: the file is damaged or mixed up"
        )


def _shown(names: tuple[str, ...]) -> str:
    words = ", ".join(names[:SHOWN])
    return f"{words} and {len(names) - SHOWN} more" if len(names) > SHOWN else words
