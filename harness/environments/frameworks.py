"""The frameworks on offer: one folder each under `images/`, found, not listed.

A folder holds `manifest.toml` and one hash-pinned lock per version and device, `<version>-<device>.lock`.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness import paths
from harness.errors import UsageError
from harness.suggest import unknown


@dataclass(frozen=True)
class Framework:
    """`package` is the distribution whose version is the framework's; `checks` are run once it is installed."""

    name: str
    title: str
    package: str
    versions: tuple[str, ...]  # first the default
    implementation: str  # prefix of its *_impl.py files
    check: str  # Python source that fails where the environment does not hold what the lock promises
    folder: Path

    @property
    def default_version(self) -> str:
        return self.versions[0]

    def lock(self, version: str, device: str = "cpu") -> Path:
        """Raises: UsageError for a version that is not offered."""
        if version not in self.versions:
            raise UsageError(f"{self.name} {version} is not offered; offered: {', '.join(self.versions)}")
        return self.folder / f"{version}-{device}.lock"


@cache
def frameworks() -> dict[str, Framework]:
    found = [_read(manifest) for manifest in sorted(paths.IMAGES.glob("*/manifest.toml"))]
    return {framework.name: framework for framework in found}


def framework(name: str) -> Framework:
    """Raises: UsageError with the nearest name."""
    if name not in frameworks():
        raise UsageError(unknown("framework", name, frameworks()))
    return frameworks()[name]


def _read(manifest: Path) -> Framework:
    record = tomllib.loads(manifest.read_text())
    return Framework(
        name=manifest.parent.name,
        title=record["title"],
        package=record["package"],
        versions=tuple(record["versions"]),
        implementation=record["implementation"],
        check=record["check"],
        folder=manifest.parent,
    )


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
