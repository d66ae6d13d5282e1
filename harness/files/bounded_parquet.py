"""Parquet files that somebody else may have written: what a file says of itself is looked at before it is unpacked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from harness.files.untrusted import memory_within

MOST_ROWS = 1 << 25  # two days of 20 channels, ten times a second: some 2 GB in memory
MOST_BYTES = 1 << 30  # of the file, and of its columns before they were compressed
MOST_MEMORY_BYTES = 4 << 30  # while it is read
MOST_FOOTER_BYTES = 1 << 20
DAMAGED = "it is damaged: its bytes are not those that were written"
MAGIC = b"PAR1"  # begins and ends every file
TAIL_BYTES = 8  # the footer's length and the magic word


@dataclass(frozen=True)
class ParquetForm:
    """`physical`: the type of each column as the file stores it; `words`: columns of texts that often come again."""

    schema: pa.Schema
    physical: Mapping[str, str]
    words: Sequence[str]


def read_table(file: BinaryIO, form: ParquetForm) -> pa.Table:
    """All of the file in the schema's columns. Raises: ValueError in our own words, OSError where the disk fails."""
    try:
        return _table(file, form)
    except MemoryError:
        wrong = f"unpacking it takes more than the {MOST_MEMORY_BYTES} bytes of memory that it is given"
    except (pa.ArrowException, OSError) as error:  # the library's words are of its own insides
        if getattr(error, "errno", None):
            raise
        wrong = DAMAGED
    except ValueError as error:
        wrong = str(error)
    raise ValueError(wrong)


def _table(file: BinaryIO, form: ParquetForm) -> pa.Table:
    if os.fstat(file.fileno()).st_size > MOST_BYTES:
        raise ValueError(f"it is larger than the {MOST_BYTES} bytes that are read")
    _require_footer(file)
    stored = pq.read_metadata(file)
    _require_small(stored)
    if not stored.num_rows:
        return form.schema.empty_table()
    _require_columns(stored.schema, form.physical)
    opened = pq.ParquetFile(file, metadata=stored, read_dictionary=list(form.words), pre_buffer=False)
    with memory_within(MOST_MEMORY_BYTES):  # what the file says of itself may be a lie
        table = opened.read(columns=list(form.physical), use_threads=False)
        return _cast(table, form.schema).unify_dictionaries()


def _cast(table: pa.Table, schema: pa.Schema) -> pa.Table:
    try:
        return table.cast(schema)
    except pa.ArrowInvalid as error:
        raise ValueError("a number is out of bounds, or a text is no UTF8") from error


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


def _require_columns(schema: pq.ParquetSchema, physical: Mapping[str, str]) -> None:
    columns = [schema.column(number) for number in range(len(schema))]
    flat = {(one.path, one.physical_type) for one in columns if not one.max_repetition_level}
    if missing := [name for name, kind in physical.items() if (name, kind) not in flat]:
        raise ValueError(f"it has no column {missing[0]} of type {physical[missing[0]]}")
