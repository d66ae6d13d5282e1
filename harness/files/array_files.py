"""Files of several arrays, as numpy.savez writes them. Those that somebody else may have written: by their headers."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from harness.files.untrusted import memory_within, printable

MOST_ARRAYS = 10_000
MOST_MEMORY_BYTES = 256 << 20
NUMBERS = "biuf"  # kinds of dtype: nothing that could hold objects


@dataclass(frozen=True)
class Header:
    """What an array says of itself; the file is as large as that."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def write(file: IO[bytes], several: Iterable[tuple[str, np.ndarray[Any, Any]]]) -> None:
    """Array after array, of which one at a time need be in memory."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in several:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)


def headers(path: Path) -> dict[str, Header]:
    """By name. Raises: ValueError with what is wrong, in words that a terminal may show; nothing is unpacked."""
    try:
        with memory_within(MOST_MEMORY_BYTES):  # a directory or a header may promise anything
            return dict(_headers(path))
    except Exception as error:  # noqa: BLE001 - whatever zipfile and NumPy raise of what a worker made up
        raise ValueError(_shown(error)) from None


def _shown(error: Exception) -> str:
    return printable(" ".join(str(error).split()) or type(error).__name__)[:200]


def _headers(path: Path) -> Iterator[tuple[str, Header]]:
    """Raises: ValueError for what numpy.savez does not write."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MOST_ARRAYS:
            raise ValueError(f"more than {MOST_ARRAYS} arrays")
        for member in members:
            if not member.filename.endswith(".npy") or member.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{member.filename[:100]!r} is no plain array")
            with archive.open(member) as file:
                yield member.filename.removesuffix(".npy"), _header(file, member.file_size)


def _header(file: IO[bytes], size_bytes: int) -> Header:
    version = npy.read_magic(file)
    read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"an array of version {version}")
    shape, _, dtype = read(file)
    if dtype.kind not in NUMBERS:
        raise ValueError(f"an array of {dtype}")
    if int(np.prod(shape, dtype=object)) * dtype.itemsize != size_bytes - file.tell():
        raise ValueError("an array that is not as large as it says")
    return Header(tuple(int(length) for length in shape), dtype)


def arrays(path: Path, names: Iterable[str]) -> dict[str, np.ndarray[Any, Any]]:
    """Those whose headers were found to be sound. Raises: ValueError as `headers`."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in names}
    except Exception as error:  # noqa: BLE001 - as above
        raise ValueError(_shown(error)) from None
