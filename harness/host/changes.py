"""What differs between two descriptions of a machine; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """`name` is dotted where descriptions are nested; None is unknown."""

    name: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.name}: {_shown(self.before)} -> {_shown(self.after)}"


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """In the order of `before`, then what is new."""
    return list(_changes(before, after, ""))


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], prefix: str) -> Iterator[Change]:
    for name in dict.fromkeys([*before, *after]):
        one, other = before.get(name), after.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _changes(one, other, f"{prefix}{name}.")
        elif one != other:
            yield Change(f"{prefix}{name}", one, other)


def _shown(value: Any) -> str:
    return "unknown" if value is None else str(value)
