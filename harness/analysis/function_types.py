"""Why a function costs what it costs, in the words of Georgiou et al. (ICSE 2022, Tables 5 to 8): a table to extend."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

from harness.errors import UsageError
from harness.files.untrusted import printable, read_beneath

UNKNOWN = "unknown"
TYPES = ("complex calculation", "complex implementation", "large data", "device dependency", UNKNOWN)
TYPES_FILE = (
    "function_types.csv"  # in a campaign's folder, the user's own: before those that come with the suite
)
COLUMNS = ("function", "type")
MOST_BYTES, MOST_ROWS = 1 << 20, 10_000
SHOWN = 60  # characters of a word that is wrong


@dataclass(frozen=True)
class FunctionTypes:
    """Patterns of functions' names ("*" stands for anything) and their types; the first that fits counts."""

    patterns: Sequence[tuple[str, str]]

    def of(self, function: str) -> str:
        return next((kind for fits, kind in self._compiled if fits.match(function)), UNKNOWN)

    @cached_property
    def _compiled(self) -> Sequence[tuple[re.Pattern[str], str]]:
        return [(re.compile(translate(pattern)), kind) for pattern, kind in self.patterns]


def of_campaign(folder: Path) -> FunctionTypes:
    """Raises: UsageError where the campaign's own file is not as it ought to be; UnsafeFile where it is a link."""
    own = (
        _parsed(read_beneath(folder, TYPES_FILE, MOST_BYTES)) if os.path.lexists(folder / TYPES_FILE) else []
    )
    return FunctionTypes([*own, *_shipped()])


@cache
def _shipped() -> list[tuple[str, str]]:
    return _parsed((files("harness.analysis") / "data" / TYPES_FILE).read_bytes())


def _parsed(content: bytes) -> list[tuple[str, str]]:
    try:
        rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig")), strict=True)
        return [(_pattern(row["function"]), _type(row["type"])) for row in _few(rows)]
    except (KeyError, csv.Error, UnicodeDecodeError) as error:
        told = f"it needs the columns {' and '.join(COLUMNS)}" if isinstance(error, KeyError) else str(error)
        raise UsageError(f"{TYPES_FILE} cannot be read: {printable(told)[:SHOWN]}") from None


def _few(rows: Iterable[dict[str, str]]) -> Iterable[dict[str, str]]:
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            raise UsageError(f"{TYPES_FILE} has more than the {MOST_ROWS} rows that are read")
        yield row


def _pattern(word: str | None) -> str:
    if not word:
        raise UsageError(f"{TYPES_FILE}: a row names no function")
    return word


def _type(word: str | None) -> str:
    if word not in TYPES:
        raise UsageError(
            f"{TYPES_FILE}: {printable(word)[:SHOWN]!r} is no type of a function; the types are {', '.join(TYPES)}"
        )
    return word
