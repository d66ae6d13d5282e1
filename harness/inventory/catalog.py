"""What can be run: workloads found under `suite/`, with the numbers that their own spec declares.

This is the one place where the host imports specs: they are NumPy and numbers, no framework.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache

from harness import paths
from harness.environments.frameworks import frameworks
from harness.errors import UsageError
from harness.suggest import unknown
from suite.spec import Profile, Spec


@dataclass(frozen=True)
class Workload:
    """A workload, the frameworks that implement it, and its spec."""

    name: str
    frameworks: tuple[str, ...]
    spec: Spec

    def profile(self, name: str) -> Profile:
        """What the spec says of a profile, else its own defaults on its own data sets."""
        return self.spec.profiles.get(name, Profile(self.spec.datasets))


@cache
def workloads() -> dict[str, Workload]:
    names = sorted(spec.parent.name for spec in paths.SUITE.glob("*/spec.py"))
    return {name: _workload(name) for name in names}


def workload(name: str) -> Workload:
    """Raises: UsageError with the nearest name."""
    if name not in workloads():
        raise UsageError(unknown("workload", name, workloads()))
    return workloads()[name]


def stages() -> tuple[str, ...]:
    """Of all workloads, by the names that these give them."""
    return tuple(dict.fromkeys(stage for one in workloads().values() for stage in one.spec.stages))


def _workload(name: str) -> Workload:
    implemented = {path.name.removesuffix("_impl.py") for path in (paths.SUITE / name).glob("*_impl.py")}
    able = tuple(f.name for f in frameworks().values() if f.implementation in implemented)
    return Workload(name, able, importlib.import_module(f"suite.{name}.spec").SPEC)
