"""Stored samples as series: a file is read, and split by channel, in one pass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from harness.energy.series import Ints, Series, series
from harness.errors import CampaignError
from harness.files.untrusted import memory_within, open_beneath
from harness.records import Channel

PHYSICAL = {"t_ns": "INT64", "channel": "BYTE_ARRAY", "value": "DOUBLE"}
COLUMNS = list(PHYSICAL)
SCHEMA = pa.schema(
    [("t_ns", pa.int64()), ("channel", pa.dictionary(pa.int32(), pa.string())), ("value", pa.float64())]
)
MOST_ROWS = 1 << 25  # two days of 20 channels, ten times a second: some 2 GB in memory
MOST_BYTES = 1 << 30  # of the file, and of its columns before they were compressed
MOST_MEMORY_BYTES = 4 << 30  # while it is read
MOST_FOOTER_BYTES = 1 << 20
MAGIC = b"PAR1"  # begins and ends every file
TAIL_BYTES = 8  # the footer's length and the magic word
MOST_NAMES = 10_000  # of channels
LONGEST_NS = 1 << 62  # between two readings of a file: no difference of times overflows
LARGEST = 1e24  # of any unit: sums and squares stay finite


def read(path: Path, channels: Sequence[Channel]) -> list[Series]:
    """The series of those channels that a file of harness.sampling.writing holds, in the order of `channels`.

    Counters come out unwrapped. None are kept where no file is: a run that was not sampled has no series.
    Raises: CampaignError for a file that is damaged or holds no samples, UnsafeFile for one that a link leads to.
    """
    place = path.absolute()
    try:
        descriptor = open_beneath(place.parents[1], f"{place.parent.name}/{place.name}")
    except FileNotFoundError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        try:
            return _series(_table(file), channels)
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            reason = " ".join(str(error).split())
            raise CampaignError(f"{path} holds no samples that can be read: {reason}") from error


def _table(file: BinaryIO) -> pa.Table:
    """What the file says of itself is looked at before any of it is taken into memory."""
    if os.fstat(file.fileno()).st_size > MOST_BYTES:
        raise ValueError(f"it is larger than the {MOST_BYTES} bytes that are read")
    _require_footer(file)
    stored = pq.read_metadata(file)
    _require_small(stored)
    if not stored.num_rows:
        return SCHEMA.empty_table()
    _require_columns(stored.schema)
    opened = pq.ParquetFile(file, metadata=stored, read_dictionary=["channel"], pre_buffer=False)
    with memory_within(MOST_MEMORY_BYTES):  # what the file says of itself may be a lie
        table = opened.read(columns=COLUMNS, use_threads=False).cast(SCHEMA).unify_dictionaries()
    _require_readings(table)
    return table


def _require_footer(file: BinaryIO) -> None:
    """Whole and small: it is unpacked whole, and takes a hundred times as much memory as it has bytes."""
    size, head = os.fstat(file.fileno()).st_size, file.read(len(MAGIC))
    file.seek(max(0, size - TAIL_BYTES))
    tail = file.read(TAIL_BYTES)
    footer_bytes = int.from_bytes(tail[: -len(MAGIC)], "little")
    if head != MAGIC or not tail.endswith(MAGIC) or footer_bytes + len(MAGIC) + TAIL_BYTES > size:
        raise ValueError("it is damaged or cut short: no Parquet file")
    if footer_bytes > MOST_FOOTER_BYTES:
        raise ValueError(f"its footer is larger than the {MOST_FOOTER_BYTES} bytes that are read")
    file.seek(0)


def _require_small(stored: pq.FileMetaData) -> None:
    groups = [stored.row_group(number) for number in range(stored.num_row_groups)]
    rows, sizes = [group.num_rows for group in groups], [group.total_byte_size for group in groups]
    if stored.num_rows > MOST_ROWS or sum(sizes) > MOST_BYTES:
        raise ValueError(f"more than the {MOST_ROWS} rows or {MOST_BYTES} bytes that are read")
    if sum(rows) != stored.num_rows or min((0, *rows, *sizes)) < 0:
        raise ValueError("its groups do not add up to its rows")


def _require_columns(schema: pq.ParquetSchema) -> None:
    columns = [schema.column(number) for number in range(len(schema))]
    flat = {(one.path, one.physical_type) for one in columns if not one.max_repetition_level}
    if missing := [name for name, kind in PHYSICAL.items() if (name, kind) not in flat]:
        raise ValueError(f"it has no column {missing[0]} of type {PHYSICAL[missing[0]]}")


def _require_readings(table: pa.Table) -> None:
    if any(column.null_count for column in table.columns):
        raise ValueError("a reading lacks its time, its channel or its value")
    t_ns, values = table.column("t_ns").to_numpy(), table.column("value").to_numpy()
    if not (np.abs(values) < LARGEST).all():  # nan compares as false
        raise ValueError("a value is no finite number")
    if int(t_ns.max()) - int(t_ns.min()) > LONGEST_NS:
        raise ValueError("its times lie more than a century apart")


def _series(table: pa.Table, channels: Sequence[Channel]) -> list[Series]:
    t_ns, values = (table.column(name).to_numpy() for name in ("t_ns", "value"))
    numbers, rows = _by_channel(table.column("channel").combine_chunks())
    found = [(channel, rows[numbers[channel.name]]) for channel in channels if channel.name in numbers]
    if backwards := [channel.name for channel, here in found if (np.diff(t_ns[here]) < 0).any()]:
        raise ValueError(f"time runs backwards in {backwards[0]}")
    return [series(channel, t_ns[here], values[here]) for channel, here in found]


def _by_channel(column: pa.DictionaryArray) -> tuple[dict[str, int], list[Ints]]:
    """Each name's number, and each number's rows in order of time: a stable sort of small integers is linear."""
    if len(column.dictionary) > MOST_NAMES:
        raise ValueError(f"more than the {MOST_NAMES} channels that are read")
    codes = column.indices.to_numpy()
    names = column.dictionary.to_pylist()
    order = np.argsort(codes, kind="stable")
    borders = np.searchsorted(codes[order], np.arange(1, len(names)))
    rows = np.split(order, borders)
    return {name: number for number, name in enumerate(names) if len(rows[number])}, rows
