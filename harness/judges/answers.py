"""What a run left for the judges: read as a file that anybody may have written, kept small beside the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.files.array_files import Header, arrays, headers
from harness.files.whole_files import replacing

Arrays = dict[str, np.ndarray[Any, Any]]
WHOLE = "iu"  # kinds of dtype


def read(path: Path, evaluations: int, samples: int, below: int) -> list[Arrays]:
    """Of each evaluation, by name: whole numbers [samples, ...] from 0 to below a bound.

    Raises: ValueError with what is wrong.
    """
    if not path.exists():
        raise ValueError("it left none")
    found = headers(path)
    names = _names(found, evaluations)
    for name, header in found.items():
        if header.dtype.kind not in WHOLE or header.shape[:1] != (samples,):
            raise ValueError(
                f"{name} is {header.dtype} {header.shape}, not whole numbers of {samples} samples"
            )
    left = arrays(path, found)
    several = [{name: left[f"{number}/{name}"] for name in names} for number in _numbers(evaluations)]
    _require_range(several, below)
    return several


def keep(several: Sequence[Mapping[str, np.ndarray[Any, Any]]], place: Path) -> None:
    """Compressed, each by the number of its evaluation and its name, so that anybody can judge again."""
    left = {f"{number}/{name}": one for number, named in enumerate(several, 1) for name, one in named.items()}
    with replacing(place) as file:
        np.savez_compressed(file, **left)  # type: ignore[arg-type]


def _numbers(evaluations: int) -> range:
    return range(1, evaluations + 1)


def _names(found: Mapping[str, Header], evaluations: int) -> list[str]:
    """The same of every evaluation."""
    names = sorted({name.partition("/")[2] for name in found})
    if not names or set(found) != {f"{number}/{name}" for number in _numbers(evaluations) for name in names}:
        raise ValueError(f"they are {len(found)} arrays, not those of {evaluations} evaluations")
    return names


def _require_range(several: Sequence[Arrays], below: int) -> None:
    for number, named in enumerate(several, 1):
        for name, one in named.items():
            if one.size and (one.min() < 0 or one.max() >= below):
                raise ValueError(f"{number}/{name} holds numbers that are not from 0 to {below - 1}")
