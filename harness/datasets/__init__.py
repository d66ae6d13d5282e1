"""Data sets, prepared once on the host. One file per source, found by its SOURCE, with its STAND_IN beside it."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from harness.datasets.base import Source
from harness.errors import UsageError
from harness.suggest import unknown

EXPORTS = ("SOURCE", "STAND_IN")


@cache
def sources() -> dict[str, Source]:
    """What the modules of this package export as SOURCE and STAND_IN, by name."""
    modules = [
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    found: list[Source] = [
        getattr(module, name) for module in modules for name in EXPORTS if hasattr(module, name)
    ]
    return {source.name: source for source in found}


def source(name: str) -> Source:
    """Raises: UsageError with the nearest name."""
    if name not in sources():
        raise UsageError(unknown("data set", name, sources()))
    return sources()[name]
