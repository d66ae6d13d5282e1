"""The lines `:::MLLOG {...}` that MLPerf's benchmarks write, among whatever else a log holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from harness.files.untrusted import NotFinite, parse_json
from harness.importers.base import SourceError
from harness.importers.files.text import content_of

TAG = ":::MLLOG"
US_PER_MS, NS_PER_US = 1000, 1000
LATEST_MS = 7e12  # the year 2191
MOST_MARKS = 1_000_000
LONGEST_MARK = 10_000  # characters


@dataclass(frozen=True)
class Mark:
    """`line`: where it stands, from 1."""

    path: Path
    line: int
    key: str
    value: Any
    told: Mapping[str, Any]

    @property
    def t_ns(self) -> int:
        """Its `time_ms`, since 1970. Raises: SourceError where it is no such time."""
        time_ms: Any = self.told.get("time_ms")
        if not _is_number(time_ms) or not 0 <= time_ms <= LATEST_MS:
            raise SourceError(self.path, f"{self.key} has no time_ms since 1970", self.line)
        us: int = round(time_ms * US_PER_MS)  # a float has no more digits
        return us * NS_PER_US

    def number(self, at_least: float = 0.0) -> float:
        """Raises: SourceError for a value that is no finite number, or less than that."""
        if not _is_number(self.value) or not at_least <= self.value:
            raise SourceError(self.path, f"{self.key} is {str(self.value)[:40]!r}, no number", self.line)
        return float(self.value)


def marks(path: Path, keys: Collection[str]) -> list[Mark]:
    """The marks of these keys, in the order of the file; other lines are passed over, whatever they hold.

    Raises: SourceError for a file that is missing, empty, too large or holds NUL, and for a mark that is cut.
    """
    content = content_of(path)
    if not content.strip():
        raise SourceError(path, "the file is empty")
    if b"\0" in content:
        raise SourceError(path, "the file is not text: it holds NUL")
    quoted = [f'"{key}"' for key in keys]
    lines = content.decode("utf-8", "replace").splitlines()
    found: list[Mark] = []
    for number, line in enumerate(lines, 1):
        if TAG in line and (number == len(lines) or any(key in line for key in quoted)):
            found += _marks(path, number, line, keys)
        if len(found) > MOST_MARKS:
            raise SourceError(path, f"more than the {MOST_MARKS} marks that are read")
    return found


def _marks(path: Path, number: int, line: str, keys: Collection[str]) -> list[Mark]:
    """One or none: the quoted word may be a value of another key."""
    if len(line) > LONGEST_MARK:
        raise SourceError(path, f"a line of {len(line)} characters", number)
    try:
        told = parse_json(line.partition(TAG)[2].strip())
    except NotFinite as error:
        raise SourceError(path, f"{error}: a mark holds finite numbers alone", number) from None
    except ValueError:
        raise SourceError(path, f"cut short: {TAG} without whole JSON after it", number) from None
    if not isinstance(told, dict) or told.get("key") not in keys:
        return []
    return [Mark(path, number, str(told["key"]), told.get("value"), told)]


def only(path: Path, found: Sequence[Mark], key: str) -> Mark:
    """Raises: SourceError where the file has none of that key, or several: then it holds several runs."""
    named = [mark for mark in found if mark.key == key]
    if not named:
        raise SourceError(path, f"the mark {key} is missing: the run's begin and end are not known")
    if len(named) > 1:
        raise SourceError(path, f"a second {key}: several runs in one file", named[1].line)
    return named[0]


def first_value(found: Sequence[Mark], key: str) -> Any:
    return next((mark.value for mark in found if mark.key == key), None)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) < 1e300
        and isfinite(value)
    )
