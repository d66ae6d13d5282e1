"""Stored samples as series: a file is read, and split by channel, in one pass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from harness.energy.series import Ints, Series, series
from harness.errors import ANEW, CampaignError
from harness.files.bounded_parquet import ParquetForm, read_table
from harness.files.untrusted import open_beneath
from harness.records import Channel

SCHEMA = pa.schema(
    [("t_ns", pa.int64()), ("channel", pa.dictionary(pa.int32(), pa.string())), ("value", pa.float64())]
)
FORM = ParquetForm(SCHEMA, {"t_ns": "INT64", "channel": "BYTE_ARRAY", "value": "DOUBLE"}, ("channel",))
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
            raise CampaignError(f"{path} holds no samples that can be read: {reason}; {ANEW}") from error


def _table(file: BinaryIO) -> pa.Table:
    table = read_table(file, FORM)
    if table.num_rows:
        _require_readings(table)
    return table


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
