"""The frameworks on offer: one folder each under `images/`, found, not listed.

A folder holds `manifest.toml` and one hash-pinned lock per version and device, `<version>-<device>.lock`.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from harness import paths
from harness.devices import HOST
from harness.environments import pins
from harness.errors import MissingPrerequisite, UsageError
from harness.suggest import unknown

# version -> device -> what the lock is resolved from
Requirements = Mapping[str, Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Framework:
    """`package` is the distribution whose version is the framework's.

    `check` is Python source, given `device`, that fails where the environment is not what the lock promises; `modes` of
    execution are those of its suite/trainers/*_trainer.py, none where it has one way.
    """

    name: str
    title: str
    package: str
    versions: tuple[str, ...]  # first the default
    implementation: str  # prefix of its *_impl.py files
    check: str
    folder: Path
    backend: str = ""  # what computes, where the framework is a face for several
    variant: bool = False  # of another framework: measured only where it is named
    modes: tuple[str, ...] = ()
    modes_needing_compiler: tuple[str, ...] = ()
    modes_of_resident_data: tuple[str, ...] = ()
    requirements: Requirements = field(default_factory=dict)

    @property
    def default_version(self) -> str:
        return self.versions[0]

    def devices(self, version: str) -> tuple[str, ...]:
        """Raises: UsageError for a version that is not offered."""
        return tuple(self.requirements.get(self._offered(version), {}))

    def pythons(self, version: str, device: str = HOST) -> tuple[str, ...]:
        """The Pythons that the lock holds for: those to which every requirement applies."""
        wanted = self.requirements.get(self._offered(version), {}).get(device, ())
        return tuple(python for python in pins.PYTHONS if all(pins.applies(one, python) for one in wanted))

    def lock_path(self, version: str, device: str = HOST) -> Path:
        """Where the lock is or shall be. Raises: UsageError for a version that is not offered."""
        return self.folder / f"{self._offered(version)}-{device}.lock"

    def lock(self, version: str, device: str = HOST) -> Path:
        """Raises: UsageError for a version that is not offered, MissingPrerequisite if its lock is not there."""
        path = self.lock_path(version, device)
        if not path.is_file():
            raise MissingPrerequisite(f"no lock of {self.title} {version} for {device}: {path} is not there")
        return path

    def _offered(self, version: str) -> str:
        if version not in self.versions:
            raise UsageError(f"{self.name} {version} is not offered; offered: {', '.join(self.versions)}")
        return version


@cache
def frameworks() -> dict[str, Framework]:
    found = [_read(manifest) for manifest in sorted(paths.IMAGES.glob("*/manifest.toml"))]
    return {framework.name: framework for framework in found}


def with_images() -> set[str]:
    """The devices that some version of some framework has an image for."""
    return {
        device for one in frameworks().values() for version in one.versions for device in one.devices(version)
    }


def framework(name: str) -> Framework:
    """Raises: UsageError with the nearest name."""
    if name not in frameworks():
        raise UsageError(unknown("framework", name, frameworks()))
    return frameworks()[name]


def compiles(name: str, modes: Iterable[object]) -> bool:
    """Whether a run in one of these modes executes what it compiled to files; none of an unknown framework does."""
    one = frameworks().get(name)
    return one is not None and not set(one.modes_needing_compiler).isdisjoint(modes)


def _read(manifest: Path) -> Framework:
    record = tomllib.loads(manifest.read_text())
    versions = record["versions"]
    return Framework(
        name=manifest.parent.name,
        title=record["title"],
        package=record["package"],
        versions=tuple(versions),
        implementation=record["implementation"],
        check=record["check"],
        folder=manifest.parent,
        backend=record.get("backend", ""),
        variant=record.get("variant", False),
        modes=tuple(record.get("modes", ())),
        modes_needing_compiler=tuple(record.get("modes_needing_compiler", ())),
        modes_of_resident_data=tuple(record.get("modes_of_resident_data", ())),
        requirements={
            version: {device: tuple(wanted) for device, wanted in devices.items()}
            for version, devices in versions.items()
        },
    )


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
