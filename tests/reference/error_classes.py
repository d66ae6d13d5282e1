"""docs/reference/errors.md: every class of error that ends a command with one line, with what its docstring says."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import harness
import reports
from harness.errors import SuiteError

HEAD = """\
# Errors and exit codes

A mistake of yours, or what a command lacks, is one line on standard error that names the cause and the remedy, never a
traceback; nothing is left half-written. This page is made by `make reference`, of the classes themselves.

| exit code | means |
|---|---|
| 0 | done; of `suite run`: all runs are ok; of `suite gate`: pass |
| 1 | done, and something is not as it should be: a run that does not count, a proof that differs, a regression |
| 2 | a mistake, or something is missing: the line says what |
| 3 | of `suite gate`: inconclusive |
| 130 | interrupted; `suite run --resume` goes on |

| error | says |
|---|---|
"""


def classes() -> list[type[SuiteError]]:
    """Of all modules of the host's side, by name; SuiteError first."""
    for package in (harness, reports):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    return [SuiteError, *sorted(_below(SuiteError), key=lambda one: one.__name__)]


def _below(kind: type[SuiteError]) -> Iterator[type[SuiteError]]:
    for one in kind.__subclasses__():
        if one.__module__.partition(".")[0] in ("harness", "reports"):
            yield one
            yield from _below(one)


def page() -> str:
    return HEAD + "".join(
        f"| `{one.__name__}` | {' '.join(inspect.cleandoc(one.__doc__ or '').split())} |\n"
        for one in classes()
    )
