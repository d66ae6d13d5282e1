"""Sentences and their translations in two files, a line each: read as a stream, cleaned, told where they are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.errors import DataError

Pair = tuple[str, str]


def read(source: Path, target: Path) -> Iterator[Pair]:
    """Every pair of lines, without the white space around them; lines end with a line feed and nothing else.

    Raises: DataError if one file has more lines, or a line is not UTF-8.
    """
    with source.open("rb") as sources, target.open("rb") as targets:
        lines = zip(sources, targets, strict=True)
        try:
            for number, pair in enumerate(lines, 1):
                yield _text(pair[0], source, number), _text(pair[1], target, number)
        except ValueError as error:
            raise DataError(
                f"{source} and {target} have not as many lines: no translations of each other"
            ) from error


def _text(line: bytes, path: Path, number: int) -> str:
    try:
        return line.decode().strip()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}, line {number} is not UTF-8 text: {error.reason}") from error


def cleaned(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Without those of which a side is empty."""
    return (pair for pair in pairs if all(pair))
