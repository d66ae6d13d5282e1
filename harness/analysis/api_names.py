"""Functions as cProfile names them, by the names under which users of a framework know them."""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

IN_C = "~"  # cProfile's word for where a function in C stands
TENSOR = re.compile(r"<method '(?P<name>\w+)' of 'torch\._C\._?TensorBase' objects>")
TORCH = re.compile(r"<built-in method (?:torch\.)?(?P<name>\w+)>")
TORCH_NN = re.compile(r"<built-in method torch\._C\._nn\.(?P<name>\w+)>")
METHOD = re.compile(r"<method '(?P<name>\w+)' of '(?P<kind>\w+(?:\.\w+)+)' objects>")
PACKAGED = re.compile(r"(?:.*/(?:site|dist)-packages/)?(?P<module>[^/<].*?)(?:/__init__)?\.py")
OURS = "suite/"
BACKENDS = {"keras": "tensorflow", "keras-jax": "jax", "keras-torch": "torch"}


def api(file: str, function: str, framework: str) -> str:
    """The public name; empty where the function is none of a package.

    A function in C is known by data/api_names.csv or by how its framework names them, one in Python by its module.
    """
    backend = BACKENDS.get(framework, framework)
    if name := _known().get((backend, file, function)):
        return name
    return _in_c(function, backend) if file == IN_C else _in_python(file, function)


def _in_c(function: str, framework: str) -> str:
    if framework == "torch":
        for pattern, owner in ((TENSOR, "torch.Tensor"), (TORCH, "torch"), (TORCH_NN, "torch.nn.functional")):
            if match := pattern.fullmatch(function):
                return f"{owner}.{match['name']}"
    match = METHOD.fullmatch(function)
    return f"{match['kind']}.{match['name']}" if match else ""


def _in_python(file: str, function: str) -> str:
    """A file that lies in no package has the place where it lies before its name."""
    match = PACKAGED.fullmatch(file)
    return f"{match['module'].replace('/', '.')}.{function}" if match and not file.startswith(OURS) else ""


@cache
def _known() -> dict[tuple[str, str, str], str]:
    text = (files("harness.analysis") / "data" / "api_names.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(row["framework"], row["file"], row["function"]): row["api"] for row in rows}
