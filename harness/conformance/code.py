"""What decides what an implementation computes, and how it is judged: the files, by what imports what."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from harness import paths
from harness.environments.base import WORKER_VARIABLES
from harness.environments.frameworks import framework
from harness.environments.recipe import suite_files
from suite.runtimes import implementation_module, runtime_module

ENTRANCES = ("suite.run", "suite.verify")  # which import the others by their names
JUDGED_BY = ("comparison", "tolerances")
PYTHON = (".py", ".pyc")
NAME = re.compile(r"^suite(?:\.\w+)+$", re.ASCII)  # of a module, as importlib takes it


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
        self._files = cache(lambda module: tuple(_files(module)))
        self._beside = cache(_beside)
        self._read = cache(Path.read_bytes)

    def sha256(self, workload: str, name: str) -> str:
        digest = hashlib.sha256(json.dumps(WORKER_VARIABLES, sort_keys=True).encode())
        for path in self.files(workload, name):
            digest.update(f"{path.relative_to(paths.ROOT)}\0".encode() + self._read(path) + b"\0")
        return digest.hexdigest()

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
                more = _imported(self._read(path), _package(path)) - asked
                asked |= more
                left += more
        return found


def _files(module: str) -> Iterator[Path]:
    """Of a module, which may be a package or the name of something within one, and of the packages around it."""
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        place = paths.SUITE.parent.joinpath(*parts[:length])
        yield from (file for file in (place / "__init__.py", place.with_suffix(".py")) if file.is_file())


def _beside(folder: Path) -> tuple[Path, ...]:
    """What is no Python in a folder of these, which they may read: a vocabulary, a table."""
    files = folder.iterdir() if folder == paths.SUITE else suite_files(folder)
    return tuple(one for one in files if one.is_file() and one.suffix not in PYTHON)


def _package(path: Path) -> tuple[str, ...]:
    return path.relative_to(paths.SUITE.parent).parent.parts


@cache
def _imported(source: bytes, package: tuple[str, ...]) -> frozenset[str]:
    """Modules of `suite`, and names in them, wherever in the source they are imported or called by their name."""
    names: set[str] = set()
    for node in _nodes(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            around = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*around, *([node.module] if node.module else [])])
            names |= {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= set(NAME.findall(node.value))
    return frozenset(name for name in names if name.split(".")[0] == "suite")


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """As ast.walk, in another order, and in half its time."""
    left = [tree]
    while left:
        yield (node := left.pop())
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                left.append(value)
            elif isinstance(value, list):
                left += [one for one in value if isinstance(one, ast.AST)]
