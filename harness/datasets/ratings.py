"""Files of MovieLens's ratings, parsed piece by piece: user, item and time of each, in the file's order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.datasets.base import Array
from harness.datasets.member_streams import zip_lines
from harness.errors import DataError

if TYPE_CHECKING:  # whoever asks which data sets there are does not wait for it
    import pyarrow as pa

TYPES = {"user": "int32", "item": "int32", "rating": "float32", "time": "int64"}

LEAST_STARS, MOST_STARS = 0.5, 5
DIGITS = b"0123456789.\r\n"


@dataclass(frozen=True)
class RatingsFormat:
    """`header` is the first line that must be there, if any; `columns` those between single delimiters."""

    delimiter: str
    columns: tuple[str, ...]
    header: bytes = b""

    @property
    def separator(self) -> str:
        """What stands between two of a rating's values."""
        return self.delimiter * ((len(self.columns) - 1) // (len(TYPES) - 1))


CSV = RatingsFormat(",", tuple(TYPES), b"userId,movieId,rating,timestamp")
COLONS = RatingsFormat(":", ("user", "1", "item", "2", "rating", "3", "time"))  # user::item::rating::time


def read(archive: Path, member: str, layout: RatingsFormat) -> tuple[Array, Array, Array]:
    """Users and items [n] int32 as numbered there, times [n] int64 in seconds.

    Raises: DataError naming the file and the line that is no rating.
    """
    import pyarrow as pa

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
    import pyarrow as pa
    from pyarrow import csv

    try:
        table = csv.read_csv(
            pa.BufferReader(rows),
            csv.ReadOptions(use_threads=False, column_names=layout.columns),
            csv.ParseOptions(delimiter=layout.delimiter, quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=TYPES, include_columns=list(TYPES), null_values=[]),
        )
    except pa.ArrowInvalid as error:
        raise DataError(f"{where}: {_in_the_whole_file(str(error), lines_before)}") from error
    _require_plain(rows, layout, where, lines_before)
    _require_ratings(table, where, lines_before)
    return table.select(["user", "item", "time"])


def _require_plain(rows: bytes, layout: RatingsFormat, where: str, lines_before: int) -> None:
    """Arrow takes a hexadecimal number, a space or a byte order mark for nothing special."""
    separator, delimiter = layout.separator.encode(), layout.delimiter.encode()

    def is_plain(text: bytes) -> bool:
        separators = text.count(separator) * len(separator)
        return not text.translate(None, DIGITS + delimiter) and text.count(delimiter) == separators

    if not is_plain(rows):
        number, line = next(one for one in enumerate(rows.splitlines(), 1) if not is_plain(one[1]))
        raise DataError(
            f"{where}: line {lines_before + number} is not 4 plain numbers between {layout.separator}: {line[:80]!r}"
        )


def _require_ratings(table: pa.Table, where: str, lines_before: int) -> None:
    stars, user, item = (table[name].to_numpy() for name in ("rating", "user", "item"))
    wrong = ~((stars >= LEAST_STARS) & (stars <= MOST_STARS) & (stars % LEAST_STARS == 0))
    wrong |= (user < 1) | (item < 1)
    if wrong.any():
        first = int(wrong.argmax())
        raise DataError(
            f"{where}: line {lines_before + first + 1} is no rating: user {user[first]} and item {item[first]} must be "
            f"from 1 on, and {stars[first]:g} stars be halves from {LEAST_STARS} to {MOST_STARS}"
        )


def _in_the_whole_file(message: str, lines_before: int) -> str:
    """Arrow counts lines from where a piece begins."""
    first_line = message.partition("\n")[0]
    return re.sub(r"Row #(\d+)", lambda found: f"line {int(found[1]) + lines_before}", first_line)
