"""Swap areas in use (proc_swaps(5))."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.joulemark.command import run


def keys(table: str) -> list[str]:
    return [table] if Path(table).exists() else []


def look(table: str) -> dict[str, int | None]:
    """Area -> its priority; None where the kernel chose it (it is negative then). Raises: OSError."""
    rows = [line.split() for line in Path(table).read_text().splitlines()[1:]]
    priorities = {row[0]: int(row[4]) for row in rows}
    return {area: priority if priority >= 0 else None for area, priority in priorities.items()}


def put_back(table: str, before: dict[str, int | None]) -> None:
    """Raises: Refused."""
    for area, priority in before.items():
        if area not in look(table):
            run("swapon", *([] if priority is None else ["--priority", str(priority)]), area)
