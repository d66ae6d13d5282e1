"""Every prerequisite of a measurement, found out before it begins: one file a subject, discovered, not listed.

A file offers `checks() -> Iterator[Check]`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from harness.doctor.check import Check, Level, of_engine

__all__ = ["Check", "Level", "every_check", "of_engine"]

NO_SUBJECTS = ("check", "in_short")
SUBJECTS = (
    "engine",
    "apptainer",
    "images",
    "meters",
    "gpu",
    "cuda",
    "cpu",
    "memory",
    "disk",
    "clock",
    "data",
    "privileges",
)  # as people read them


def every_check() -> Iterator[Check]:
    for name in sorted(_modules(), key=_place):
        yield from importlib.import_module(f"{__name__}.{name}").checks()


def _modules() -> list[str]:
    return [one.name for one in pkgutil.iter_modules(__path__) if one.name not in NO_SUBJECTS]


def _place(name: str) -> tuple[int, str]:
    return (SUBJECTS.index(name) if name in SUBJECTS else len(SUBJECTS)), name
