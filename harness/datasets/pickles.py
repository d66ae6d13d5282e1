"""Pickles of plain containers and byte arrays. A pickle is a program: one that asks for more is refused unrun."""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from harness.datasets.base import Array
from harness.errors import DataError

# What the unpickler may raise of a damaged or hostile file, all of it before anything else was done.
DAMAGED = (
    *(pickle.UnpicklingError, ArithmeticError, AttributeError, EOFError, LookupError, MemoryError),
    *(TypeError, ValueError, struct.error),
)


class _ByteType:
    """In place of NumPy's type of an array's elements, when that is the byte."""

    def __init__(self, name: object, *_: object) -> None:
        if name not in ("u1", b"u1"):
            raise pickle.UnpicklingError(f"it holds an array of {name!r}, not of bytes")

    def __setstate__(self, state: object) -> None:
        """A byte has none."""


class _ByteArray(np.ndarray[Any, np.dtype[np.uint8]]):
    """An array that looks at its state before NumPy does, whose own code can crash on altered bytes."""

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, columns_first, content = state
        if not isinstance(kind, _ByteType) or not isinstance(content, bytes) or columns_first is not False:
            raise pickle.UnpicklingError("it holds an array of another form than rows of bytes")
        if not all(type(size) is int and size >= 0 for size in shape) or prod(shape) != len(content):
            raise pickle.UnpicklingError(f"it holds {len(content)} bytes for an array of shape {shape}")
        super().__setstate__((1, tuple(shape), np.dtype(np.uint8), False, content))  # type: ignore[arg-type]


def _empty_array(*_: object) -> Array:
    """In place of NumPy's _reconstruct, which would allocate whatever the pickle names."""
    return np.empty(0, np.uint8).view(_ByteArray)


# Arrays were pickled by NumPy 1 and 2 under two names; the type itself is only passed on to the first function.
ADMITTED: dict[tuple[str, str], Callable[..., Any] | None] = {
    ("numpy.core.multiarray", "_reconstruct"): _empty_array,
    ("numpy._core.multiarray", "_reconstruct"): _empty_array,
    ("numpy", "ndarray"): None,
    ("numpy", "dtype"): _ByteType,
}


class _ArraysOnly(pickle._Unpickler):
    """In Python: the one in C allocates whatever size a damaged pickle states, before it reads so much."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ADMITTED:
            raise pickle.UnpicklingError(f"it asks to run {module}.{name}, which no data file needs")
        return ADMITTED[module, name]


def load(content: bytes, where: str) -> Any:
    """Containers, numbers, byte strings and uint8 arrays of a pickle, Python 2's strings as bytes.

    Raises: DataError naming `where`, if the pickle is cut short or asks for anything else.
    """
    try:
        return _ArraysOnly(io.BytesIO(content), encoding="bytes").load()
    except DAMAGED as error:
        raise DataError(f"{where} is not a pickle of arrays: {error}") from error
