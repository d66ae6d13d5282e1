"""What a source of data is: official files with checksums, and how to read them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class OfficialFile:
    """One file as its authors publish it."""

    name: str
    url: str
    sha256: str
    size_bytes: int


class Named(Protocol):
    """A data set. Without files it is embedded in a library of the host, or made here: always at hand."""

    name: str
    title: str
    files: tuple[OfficialFile, ...]


class InMemory(Named, Protocol):
    """One whose arrays fit into memory together."""

    def arrays(self, folder: Path) -> dict[str, Array]:
        """The arrays train_<name> and test_<name>, as train_x, from the official files in a folder.

        Raises: DataError naming the file that is not what it should be.
        """


@runtime_checkable
class Streamed(Named, Protocol):
    """One that is more than memory, or has other files beside its arrays."""

    def write(self, official: Path, place: Path) -> None:
        """Writes train_<name>.npy, test_<name>.npy and what lies beside them, piece by piece, into `place`.

        Raises: as `arrays`.
        """


Source = InMemory | Streamed
