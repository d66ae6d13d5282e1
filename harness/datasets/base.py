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
    """A data set. Without files it is embedded in a library of the host or made here, always at hand, or an OwnCopy."""

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


@runtime_checkable
class OwnCopy(Streamed, Protocol):
    """One that nobody may publish, without official files: prepared from a copy of the user's own.

    What that held is known by the checksums of what was prepared. `obtained` says how one comes by a copy.
    """

    obtained: str


Source = InMemory | Streamed


def is_at_hand(source: Source) -> bool:
    """Whether it can be prepared without asking anybody for anything."""
    return not source.files and not isinstance(source, OwnCopy)


def command_for(source: Source) -> str:
    """What prepares it."""
    return (
        f"suite data import {source.name} DIR"
        if isinstance(source, OwnCopy)
        else f"suite data fetch {source.name}"
    )


def remedy(source: Source) -> str:
    """What helps where its files are not there or not whole."""
    if isinstance(source, OwnCopy):
        return f"{source.obtained}, and say: {command_for(source)}"
    return f"get the official files by {command_for(source)}"
