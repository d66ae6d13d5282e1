"""Whether what a preparation run left behind is a trained state: every framework's inference will load it.

The worker is not trusted: the file is looked at by its headers alone, nothing of it is unpacked or believed.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from harness.files.untrusted import memory_within, printable

MOST_ARRAYS = 10_000
MOST_MEMORY_BYTES = 256 << 20
NUMBERS = "biuf"  # kinds of dtype: nothing that could hold objects
Shapes = Mapping[str, tuple[int, ...]]


def problem(path: Path, wanted: Shapes | None = None) -> str:
    """Why the file is no state; empty if it is one. `wanted`: the arrays that it must hold, where that is known."""
    try:
        with memory_within(MOST_MEMORY_BYTES):  # a directory or a header may promise anything
            found = dict(_arrays(path))
    except Exception as error:  # noqa: BLE001 - whatever zipfile and NumPy raise of what a worker made up
        return f"it left a trained state that cannot be read: {_shown(error)}"
    if wanted is not None and found != wanted:
        wrong = sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))
        return (
            f"it left a trained state of other arrays than the workload's: {', '.join(map(repr, wrong[:3]))}"
        )
    return "" if found else "it left a trained state without any array"


def _shown(error: Exception) -> str:
    return printable(" ".join(str(error).split()) or type(error).__name__)[:200]


def _arrays(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Name and shape of each. Raises: ValueError for what numpy.savez does not write."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MOST_ARRAYS:
            raise ValueError(f"more than {MOST_ARRAYS} arrays")
        for member in members:
            if not member.filename.endswith(".npy") or member.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{member.filename[:100]!r} is no plain array")
            with archive.open(member) as file:
                yield member.filename.removesuffix(".npy"), _shape(file, member.file_size)


def _shape(file: IO[bytes], size_bytes: int) -> tuple[int, ...]:
    version = npy.read_magic(file)
    read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"an array of version {version}")
    shape, _, dtype = read(file)
    if dtype.kind not in NUMBERS:
        raise ValueError(f"an array of {dtype}")
    if int(np.prod(shape, dtype=object)) * dtype.itemsize != size_bytes - file.tell():
        raise ValueError("an array that is not as large as it says")
    return tuple(int(length) for length in shape)
