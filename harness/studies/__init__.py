"""Published studies, computed again from their raw files: each printed number beside ours, and an audit.

A study is a package here with NAME, SUMMARY and reproduce; it is found by its folder. What was printed lies as CSV in
`data/`, numbers only, with the source named in the study.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import cast

from harness.errors import UsageError
from harness.studies.base import Reproduction, Study
from harness.suggest import unknown


@cache
def found() -> dict[str, Study]:
    """Every study by its name."""
    packages = [one.name for one in pkgutil.iter_modules(__path__) if one.ispkg]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in packages]
    return {module.NAME: cast(Study, module) for module in modules if hasattr(module, "NAME")}


def reproduce(name: str, path: Path | None) -> Reproduction:
    """`path`: the folder of its raw files.

    Raises: UsageError for an unknown study, or one that needs raw files; SourceError for files that cannot be read.
    """
    if name not in found():
        raise UsageError(unknown("study", name, found()))
    study = found()[name]
    if path is None and study.NEEDS_FILES:
        raise UsageError(f"{name} needs the folder of its raw files: {study.SUMMARY}")
    return study.reproduce(path)
