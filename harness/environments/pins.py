"""What a lock pins, and for which Python: its markers decide, not those of the interpreter that reads it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whoever asks which versions there are does not wait for it
    from packaging.requirements import Requirement

PYTHONS = ("3.11", "3.12", "3.13")  # for which locks are resolved; the images use the first
LINUX = {
    "sys_platform": "linux",
    "platform_system": "Linux",
    "os_name": "posix",
    "platform_machine": "x86_64",
}


@dataclass(frozen=True)
class Pin:
    """One requirement of a lock, `name==version` with its marker, and the sha256 of every wheel that it allows."""

    requirement: Requirement
    hashes: tuple[str, ...]

    @property
    def name(self) -> str:
        """In lower case with dashes."""
        from packaging.utils import canonicalize_name

        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        return str(self.requirement.specifier).removeprefix("==")


def read(lock: Path) -> list[Pin]:
    """All pins of a lock, whatever their markers."""
    lines = lock.read_text().replace("\\\n", " ").splitlines()
    return [_pin(line) for line in map(str.strip, lines) if line and not line.startswith(("#", "--"))]


def _pin(line: str) -> Pin:
    from packaging.requirements import Requirement

    requirement, *hashes = line.split("--hash=sha256:")
    return Pin(Requirement(requirement), tuple(digest.strip() for digest in hashes))


def applying(lock: Path, python: str) -> list[Pin]:
    """The pins for a Python, such as 3.12, on Linux."""
    return [pin for pin in read(lock) if applies(str(pin.requirement), python)]


def applies(requirement: str, python: str) -> bool:
    """Whether a requirement's marker, if any, holds for a Python on Linux."""
    from packaging.requirements import Requirement

    marker = Requirement(requirement).marker
    here = {"python_version": python, "python_full_version": f"{python}.0", "implementation_name": "cpython"}
    return marker is None or marker.evaluate({**LINUX, **here})


def pinned(lock: Path, python: str) -> dict[str, str]:
    """{name: version} for a Python, names in lower case with dashes."""
    return {pin.name: pin.version for pin in applying(lock, python)}


def without_markers(lock: Path, python: str) -> str:
    """The lock for one Python: pip would evaluate markers for the Python that it runs on, not the one asked for."""
    entries = (
        " \\\n    ".join([f"{pin.name}=={pin.version}", *(f"--hash=sha256:{one}" for one in pin.hashes)])
        for pin in applying(lock, python)
    )
    return "".join(f"{entry}\n" for entry in entries)


def host_python() -> str:
    """This interpreter's minor version, such as 3.12."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"
