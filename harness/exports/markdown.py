"""Tables for pull requests: anybody's names stay text, which no Markdown obeys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from harness.files.untrusted import printable

OBEYED = re.compile(r"([\\`*_{}\[\]<>#|~!@&])")  # also @, by which a comment calls people


def plain(text: object) -> str:
    """Any text as Markdown that shows it as it is, on one line."""
    return OBEYED.sub(r"\\\1", printable(" ".join(str(text).split())))


def table(columns: Mapping[str, Sequence[object]]) -> str:
    """Columns of one length; those that say nothing in any row are left out."""
    shown = {name: cells for name, cells in columns.items() if any(map(str, cells))}
    rows = zip(*shown.values(), strict=True)
    lines = [_line(shown), "|" + "---|" * len(shown), *map(_line, rows)]
    return "\n".join(lines)


def folded(title: str, lines: Iterable[str]) -> str:
    """A list that is closed at first; empty without any line."""
    found = [f"- {plain(one)}" for one in lines]
    return (
        "\n".join(["<details>", f"<summary>{plain(title)}</summary>", "", *found, "", "</details>"])
        if found
        else ""
    )


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(plain, cells))} |"
