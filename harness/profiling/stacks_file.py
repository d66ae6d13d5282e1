"""Where a run keeps the stacks that were seen: one Parquet file, a row a look."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from harness.errors import UsageError
from harness.profiling.trace import SeenStacks

STACKS_FILE = "stacks.parquet"
SCHEMA = pa.schema([("t_ns", pa.int64()), ("stack", pa.dictionary(pa.int32(), pa.string()))])


def write(folder: Path, seen: SeenStacks) -> None:
    stacks = pa.array(list(seen.stacks), pa.string()).dictionary_encode()
    table = pa.table([pa.array(list(seen.t_ns), pa.int64()), stacks], schema=SCHEMA)
    pq.write_table(table, folder / STACKS_FILE, compression="zstd")


def read(folder: Path) -> SeenStacks:
    """Raises: UsageError where the file is not there, or is no such file."""
    path = folder / STACKS_FILE
    try:
        table = pq.read_table(path).cast(SCHEMA)
    except FileNotFoundError:
        raise UsageError(f"{folder} has no stacks: it is no run of suite profile, or it failed") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read as stacks ({str(error).splitlines()[0]}): profile anew"
        ) from None
    return SeenStacks(table["t_ns"].to_pylist(), table["stack"].to_pylist())
