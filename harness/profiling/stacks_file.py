"""Where a run keeps the stacks that were seen: one Parquet file, a row a look. A stranger's is read with care."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from harness.attribution.functions import MORE
from harness.errors import UsageError
from harness.files.bounded_parquet import ParquetForm, read_table
from harness.files.untrusted import open_beneath, printable
from harness.profiling.trace import LONGEST_NAME, SeenStacks

STACKS_FILE = "stacks.parquet"
SCHEMA = pa.schema([("t_ns", pa.int64()), ("stack", pa.dictionary(pa.int32(), pa.string()))])
FORM = ParquetForm(SCHEMA, {"t_ns": "INT64", "stack": "BYTE_ARRAY"}, ("stack",))
MOST_LOOKS = 1 << 24  # a day
MOST_CHARACTERS = 1 << 28  # of the stacks that differ, all together
LONGEST_FRAME = 2 * LONGEST_NAME + len(" ()")  # a name and its file; of a native one less


def write(folder: Path, seen: SeenStacks) -> None:
    stacks = pa.array(list(seen.stacks), pa.string()).dictionary_encode()
    table = pa.table([pa.array(list(seen.t_ns), pa.int64()), stacks], schema=SCHEMA)
    pq.write_table(table, folder / STACKS_FILE, compression="zstd")


def read(folder: Path) -> SeenStacks:
    """Frames are printable, and no longer than what a trace tells.

    Raises: UsageError where the file is not there, or is no such file; UnsafeFile for one that a link leads to.
    """
    try:
        with os.fdopen(open_beneath(folder.absolute(), STACKS_FILE), "rb") as file:
            return _seen(file)
    except FileNotFoundError:
        raise UsageError(f"{folder} has no stacks: it is no run of suite profile, or it failed") from None
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        reason = printable(" ".join(str(error).split()))
        raise UsageError(
            f"{folder / STACKS_FILE} cannot be read as stacks ({reason}): profile anew"
        ) from None


def _seen(file: BinaryIO) -> SeenStacks:
    table = read_table(file, FORM)
    table.validate(full=True)  # also that no look names a stack beyond those that there are
    if table.num_rows > MOST_LOOKS or any(column.null_count for column in table.columns):
        raise ValueError(f"more than the {MOST_LOOKS} looks that are read, or one without its time or stack")
    t_ns, stacks = table["t_ns"].to_numpy(), table["stack"].combine_chunks()
    if (np.diff(t_ns) < 0).any():
        raise ValueError("time runs backwards")
    names = _clean(stacks.dictionary.to_pylist()) if table.num_rows else []
    return SeenStacks(t_ns.tolist(), [names[one] for one in stacks.indices.to_pylist()] if names else [])


def _clean(stacks: Iterable[str]) -> list[str]:
    found, left = [], MOST_CHARACTERS
    for stack in stacks:
        left -= len(stack)
        if left < 0:
            raise ValueError(f"more than the {MOST_CHARACTERS} characters that are read")
        found.append(MORE.join(map(_frame, stack.split(MORE))))
    return found


@lru_cache(1 << 16)  # the same ones come again and again
def _frame(text: str) -> str:
    return printable(text[:LONGEST_FRAME])
