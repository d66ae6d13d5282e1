"""Stored samples as series: a file is read, and split by channel, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from harness.records import Channel
from harness.series import Ints, Series, series

COLUMNS = ["t_ns", "channel", "value"]


def read(path: Path, channels: Sequence[Channel]) -> list[Series]:
    """The series of those channels that the file holds (harness.spool writes it), in the order of `channels`.

    Counters come out unwrapped. None are kept where no file is: a run that was not sampled has no series.
    """
    if not path.exists():
        return []
    table = pq.read_table(path, columns=COLUMNS, read_dictionary=["channel"], use_threads=False)
    table = table.unify_dictionaries()
    t_ns, values = (table.column(name).to_numpy() for name in ("t_ns", "value"))
    numbers, rows = _by_channel(table.column("channel").combine_chunks())
    found = ((channel, rows[numbers[channel.name]]) for channel in channels if channel.name in numbers)
    return [series(channel, t_ns[here], values[here]) for channel, here in found]


def _by_channel(column: pa.DictionaryArray) -> tuple[dict[str, int], list[Ints]]:
    """Each name's number, and each number's rows in order of time: a stable sort of small integers is linear."""
    codes = column.indices.to_numpy()
    names = column.dictionary.to_pylist()
    order = np.argsort(codes, kind="stable")
    borders = np.searchsorted(codes[order], np.arange(1, len(names)))
    rows = np.split(order, borders)
    return {name: number for number, name in enumerate(names) if len(rows[number])}, rows
