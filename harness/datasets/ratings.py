"""Files of MovieLens's ratings, parsed piece by piece: user, item and time of each, in the file's order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from harness.datasets.base import Array
from harness.datasets.member_streams import zip_lines
from harness.errors import DataError

TYPES = {"user": pa.int32(), "item": pa.int32(), "rating": pa.float32(), "time": pa.int64()}


@dataclass(frozen=True)
class RatingsFormat:
    """`header` is the first line that must be there, if any; `columns` those between single delimiters."""

    delimiter: str
    columns: tuple[str, ...]
    header: bytes = b""


CSV = RatingsFormat(",", tuple(TYPES), b"userId,movieId,rating,timestamp")
COLONS = RatingsFormat(":", ("user", "1", "item", "2", "rating", "3", "time"))  # user::item::rating::time


def read(archive: Path, member: str, layout: RatingsFormat) -> tuple[Array, Array, Array]:
    """Users and items [n] int32 as numbered there, times [n] int64 in seconds.

    Raises: DataError naming the file and the line that is no rating.
    """
    where = f"{archive}: {member}"
    tables = list(_tables(zip_lines(archive, member), layout, where))
    if not sum(len(table) for table in tables):
        raise DataError(f"{where} has no ratings")
    ratings = pa.concat_tables(tables)
    user, item, time = (ratings[name].to_numpy() for name in ("user", "item", "time"))
    return user, item, time


def _tables(pieces: Iterator[bytes], layout: RatingsFormat, where: str) -> Iterator[pa.Table]:
    lines = 0
    for piece in pieces:
        rows = piece
        if layout.header and not lines:
            first, _, rows = piece.partition(b"\n")
            if first.strip() != layout.header:
                raise DataError(f"{where} does not begin with {layout.header.decode()}")
        if rows.strip():
            yield _parsed(rows, layout, where, lines + (rows is not piece))
        lines += piece.count(b"\n")


def _parsed(rows: bytes, layout: RatingsFormat, where: str, lines_before: int) -> pa.Table:
    try:
        table = csv.read_csv(
            pa.BufferReader(rows),
            csv.ReadOptions(use_threads=False, column_names=layout.columns),
            csv.ParseOptions(delimiter=layout.delimiter, quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=TYPES, include_columns=list(TYPES), null_values=[]),
        )
    except pa.ArrowInvalid as error:
        raise DataError(f"{where}: {_in_the_whole_file(str(error), lines_before)}") from error
    return table.select(["user", "item", "time"])


def _in_the_whole_file(message: str, lines_before: int) -> str:
    """Arrow counts lines from where a piece begins."""
    first_line = message.partition("\n")[0]
    return re.sub(r"Row #(\d+)", lambda found: f"line {int(found[1]) + lines_before}", first_line)
