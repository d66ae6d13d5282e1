"""Samples on their way to disk: appended raw while a run is measured, made into Parquet when it has ended.

In two steps because of the memory: what writes Parquet keeps 60 to 100 MB resident, the raw form 2 MB, beside every
measurement. The second step is the harness', block by block, once the run has ended. A raw file that was cut short
still gives its whole blocks.
"""

from __future__ import annotations

import json
import struct
import time
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, BinaryIO

BATCH_ROWS = 20_000
BATCH_S = 30.0
RAW_SUFFIX = ".raw"
LENGTH = struct.Struct("=q")  # rows of the block; then t_ns, channel and value, each as a column


class Spool:
    """At most one batch is in memory."""

    def __init__(self, path: Path, channels: Sequence[str]) -> None:
        self._raw = _created(raw_path(path))
        self._raw.write(json.dumps(list(channels)).encode() + b"\n")
        self._raw.flush()
        self._index = {name: number for number, name in enumerate(channels)}
        self._began = time.monotonic()
        self._clear()

    def _clear(self) -> None:
        self._t_ns, self._channel, self._value = array("q"), array("h"), array("d")

    def add(self, t_ns: int, readings: dict[str, float]) -> None:
        for name, value in readings.items():
            self._t_ns.append(getattr(value, "t_ns", t_ns))
            self._channel.append(self._index[name])
            self._value.append(value)

    def flush_if_due(self) -> None:
        if len(self._t_ns) >= BATCH_ROWS or time.monotonic() - self._began > BATCH_S:
            self.flush()

    def flush(self) -> None:
        self._began = time.monotonic()
        if self._t_ns:
            self._raw.write(LENGTH.pack(len(self._t_ns)))
            for column in (self._t_ns, self._channel, self._value):
                self._raw.write(column)
            self._raw.flush()
            self._clear()

    def close(self) -> None:
        self.flush()
        self._raw.close()


def _created(path: Path) -> BinaryIO:
    """A file that nobody made before, in place of what a crash left there or a link that somebody put there."""
    path.unlink(missing_ok=True)
    return path.open("xb")


def raw_path(path: Path) -> Path:
    return path.with_name(path.name + RAW_SUFFIX)


def to_parquet(path: Path) -> None:
    """Puts a Parquet file (columns t_ns in CLOCK_MONOTONIC ns, channel, value) in the place of its raw form."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = pa.dictionary(pa.int16(), pa.string())
    schema = pa.schema([("t_ns", pa.int64()), ("channel", kind), ("value", pa.float64())])
    raw, partial = raw_path(path), path.with_name(path.name + ".partial")
    with (
        raw.open("rb") as file,
        _created(partial) as made,
        pq.ParquetWriter(made, schema, compression="zstd") as writer,
    ):
        names = pa.array(json.loads(file.readline()), pa.string())
        for t_ns, channel, value in _blocks(file):
            columns = [
                pa.Array.from_buffers(pa.int64(), len(t_ns), [None, pa.py_buffer(t_ns)]),
                pa.DictionaryArray.from_arrays(pa.array(channel, pa.int16()), names),
                pa.Array.from_buffers(pa.float64(), len(value), [None, pa.py_buffer(value)]),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
    partial.replace(path)  # readers, and a campaign that goes on after a crash, see whole files only
    raw.unlink()


def salvage(path: Path) -> None:
    """Keeps what a sampler wrote before it died: every whole block."""
    if raw_path(path).exists():
        to_parquet(path)


def _blocks(file: IO[bytes]) -> Iterator[tuple[array[int], array[int], array[float]]]:
    while len(length := file.read(LENGTH.size)) == LENGTH.size:
        (rows,) = LENGTH.unpack(length)
        columns = array("q"), array("h"), array("d")
        try:
            for column in columns:
                column.fromfile(file, rows)
        except (EOFError, ValueError):  # by whole values, or within one
            return  # cut short
        yield columns
