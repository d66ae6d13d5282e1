"""What decides what an implementation computes, and how it is judged: the files, by what imports what."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from harness import paths
from harness.conformance.kept_imports import KeptImports
from harness.environments.base import WORKER_VARIABLES
from harness.environments.frameworks import framework
from harness.environments.recipe import suite_files
from suite.runtimes import implementation_module, runtime_module

ENTRANCES = ("suite.run", "suite.verify")  # which import the others by their names
JUDGED_BY = ("comparison", "tolerances")
PYTHON, INIT = (".py", ".pyc"), "__init__.py"


def code_sha256(workload: str, name: str) -> str:
    return Checkout().sha256(workload, name)


def code_files(workload: str, name: str) -> list[Path]:
    """What a framework runs of a workload, and no other's trainer; a runtime that stands on another's has that, too.

    With the locks of its environments, in which a library below it may change while its own version stays, and the
    bounds: what has passed wider ones has not passed these.
    """
    return Checkout().files(workload, name)


class Checkout:
    """One look at the checkout: whatever several implementations run is found and read once."""

    def __init__(self) -> None:
        self._files = cache(self._found)
        self._names = cache(_names_in)
        self._beside = cache(_beside)
        self._read = cache(Path.read_bytes)
        self._hashed = cache(self._name_and_bytes)
        self._imports = KeptImports(paths.imports())

    def sha256(self, workload: str, name: str) -> str:
        digest = hashlib.sha256(json.dumps(WORKER_VARIABLES, sort_keys=True).encode())
        for path in self.files(workload, name):
            digest.update(self._hashed(path))
        return digest.hexdigest()

    def _name_and_bytes(self, path: Path) -> bytes:
        return f"{path.relative_to(paths.ROOT)}\0".encode() + self._read(path) + b"\0"

    def files(self, workload: str, name: str) -> list[Path]:
        """As code_files says."""
        own = implementation_module(workload, name), runtime_module(name), f"suite.{workload}.spec"
        judged = (paths.ROOT / "harness" / "conformance" / f"{one}.py" for one in JUDGED_BY)
        run = self._reached(*ENTRANCES, *own)
        beside = {file for folder in {path.parent for path in run} for file in self._beside(folder)}
        return sorted({*run, *beside, *judged, *framework(name).folder.glob("*.lock")})

    def _reached(self, *modules: str) -> set[Path]:
        """The files of `suite` behind these, and behind whatever they import."""
        found: set[Path] = set()
        asked, left = set(modules), list(modules)
        while left:
            for path in set(self._files(left.pop())) - found:
                found.add(path)
                more = self._imports.of(self._read(path), _package(path)) - asked
                asked |= more
                left += more
        self._imports.keep()
        return found

    def _found(self, module: str) -> tuple[Path, ...]:
        """Of a module, which may be a package or the name of something within one, and of the packages around it."""
        around, _, name = module.rpartition(".")
        place = paths.SUITE.parent.joinpath(*module.split("."))
        own = [place.with_suffix(".py")] if f"{name}.py" in self._names(around) else []
        own += [place / INIT] if name in self._names(around) and INIT in self._names(module) else []
        return (*(self._files(around) if around else ()), *own)


def _names_in(package: str) -> frozenset[str]:
    """What lies in the folder of a package; nothing where there is no such folder, as of a name within a module."""
    place = paths.SUITE.parent.joinpath(*package.split("."))
    return frozenset(one.name for one in place.iterdir()) if place.is_dir() else frozenset()


def _beside(folder: Path) -> tuple[Path, ...]:
    """What is no Python in a folder of these, which they may read: a vocabulary, a table."""
    files = folder.iterdir() if folder == paths.SUITE else suite_files(folder)
    return tuple(one for one in files if one.is_file() and one.suffix not in PYTHON)


def _package(path: Path) -> tuple[str, ...]:
    return path.relative_to(paths.SUITE.parent).parent.parts
