"""Data sets, prepared once on the host. One file per source, found by its SOURCE; nothing here is random."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from harness.datasets.base import Source
from harness.errors import UsageError
from harness.suggest import unknown


@cache
def sources() -> dict[str, Source]:
    """Every module of this package that exports SOURCE, by the source's name."""
    modules = [
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    found: list[Source] = [module.SOURCE for module in modules if hasattr(module, "SOURCE")]
    return {source.name: source for source in found}


def source(name: str) -> Source:
    """Raises: UsageError with the nearest name."""
    if name not in sources():
        raise UsageError(unknown("data set", name, sources()))
    return sources()[name]
