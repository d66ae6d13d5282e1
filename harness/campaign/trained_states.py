"""Whether what a preparation run left behind is a trained state: every framework's inference will load it.

The worker is not trusted: the file is looked at by its headers alone, nothing of it is unpacked or believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.files.array_files import headers

Shapes = Mapping[str, tuple[int, ...]]


def problem(path: Path, wanted: Shapes | None = None) -> str:
    """Why the file is no state; empty if it is one. `wanted`: the arrays that it must hold, where that is known."""
    try:
        found = {name: one.shape for name, one in headers(path).items()}
    except ValueError as error:
        return f"it left a trained state that cannot be read: {error}"
    if wanted is not None and found != wanted:
        wrong = sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))
        return (
            f"it left a trained state of other arrays than the workload's: {', '.join(map(repr, wrong[:3]))}"
        )
    return "" if found else "it left a trained state without any array"
