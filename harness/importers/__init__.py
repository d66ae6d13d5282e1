"""Measurements that other tools wrote, as campaigns: everything after the import works on them.

A format is a module in harness.importers.formats; it is found by its file.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

from harness.errors import UsageError
from harness.importers import bounds, formats, sound, writing
from harness.importers.base import UNKNOWN, Format, Imported, SourceError
from harness.suggest import unknown


@cache
def found() -> dict[str, Format]:
    """Every format by its name."""
    names = [one.name for one in pkgutil.iter_modules(formats.__path__)]
    modules = [cast(Format, importlib.import_module(f"{formats.__name__}.{name}")) for name in names]
    return {module.NAME: module for module in modules}


def read(name: str, path: Path, said: Mapping[str, str] | None = None) -> Imported:
    """`said` names fields of the treatments that the files leave open.

    Raises: UsageError for an unknown format; SourceError for a path that is missing or holds nothing of it.
    """
    if name not in found():
        raise UsageError(unknown("format", name, found()))
    if not path.exists():
        raise SourceError(path, "no such file or folder")
    try:
        imported = found()[name].read(path)
    except RecursionError:
        raise SourceError(path, "folders are nested too deeply") from None
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror}") from error
    if not imported.runs:
        raise SourceError(path, f"holds no file of format {name}: {found()[name].SUMMARY}")
    sound_runs = sound.require(_with(imported, said or {})).runs
    return replace(imported, runs=tuple(bounds.held(run) for run in sound_runs))


def import_campaign(name: str, path: Path, out: Path, said: Mapping[str, str] | None = None) -> Path:
    """A campaign at `out` of what `path` holds, whole or not at all."""
    return writing.write(read(name, path, said), name, out)


def _with(imported: Imported, said: Mapping[str, str]) -> Imported:
    runs = []
    for run in imported.runs:
        open_fields = {name: value for name, value in said.items() if getattr(run.treatment, name) == UNKNOWN}
        runs.append(replace(run, treatment=run.treatment.model_copy(update=open_fields)))
    return replace(imported, runs=tuple(runs))
