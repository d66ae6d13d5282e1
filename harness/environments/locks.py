"""Resolves a framework's lock anew from its manifest alone, with uv: it reads metadata and downloads no wheel."""

from __future__ import annotations

import difflib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from harness import devices
from harness.environments.frameworks import Framework
from harness.environments.pins import PYTHONS
from harness.errors import MissingPrerequisite, UsageError
from harness.files.whole_files import write_text

# Every lock is for these; the platform is the one whose wheels `wheels.PLATFORMS` fetches.
PLATFORM = "x86_64-manylinux_2_28"
LINUX = (
    "implementation_name == 'cpython' and platform_machine == 'x86_64'"
    " and platform_python_implementation == 'CPython' and sys_platform == 'linux'"
)
MARKER = f"python_full_version < '3.14' and {LINUX}"  # holds for all of PYTHONS

# With --universal, one lock serves all Pythons: what differs gets a marker. No index's address enters it.
RESOLVE = ("--universal", "--fork-strategy", "fewest", "--python-version", PYTHONS[0], "--generate-hashes")
LOOKS = ("--no-emit-index-url", "--no-emit-find-links", "--no-header")

# Not pip's extra indexes: of one version, pip takes the wheels of all indexes, but uv those of one.
SOURCES = {"index-url": "UV_DEFAULT_INDEX", "find-links": "UV_FIND_LINKS"}


def relock(framework: Framework, version: str, device: str) -> str:
    """Writes the lock and returns the unified diff, empty if nothing has changed.

    Raises: UsageError for a device that is not offered, MissingPrerequisite if uv is not here or cannot resolve.
    """
    path = framework.lock_path(version, device)
    if device not in framework.devices(version):
        offered = ", ".join(framework.devices(version))
        raise UsageError(
            f"{framework.name} {version} is not offered for {device}; offered: {offered}. To offer it, say in "
            f"{framework.folder}/manifest.toml what it takes: {devices.device(device).wheels}"
        )
    title = f"{framework.name}-{version}-{device}"
    new = resolve(title, framework.requirements[version][device])
    old = path.read_text() if path.is_file() else ""
    if new != old:
        write_text(path, new)
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, after, f"{path.name} (old)", f"{path.name} (new)"))


def resolve(title: str, requirements: tuple[str, ...]) -> str:
    """A lock's text; every pin has a wheel for every Python to which it applies.

    Raises: MissingPrerequisite with uv's own words.
    """
    variables = {**_sources(), **os.environ}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lock = folder / "resolved.lock"
        (folder / "pyproject.toml").write_text(_project(title, requirements))
        _compile(title, folder, variables, "--output-file", lock.name, *RESOLVE, *LOOKS, "pyproject.toml")
        text = lock.read_text().replace(f" ; {MARKER}", "").replace(f" and {LINUX}", "")
        for python in PYTHONS:
            target = ("--python-version", python, "--python-platform", PLATFORM, "--no-deps")
            _compile(title, folder, variables, "--output-file", f"{python}.lock", *target, lock.name)
        return text


def _project(title: str, requirements: tuple[str, ...]) -> str:
    """What uv resolves from: a marker that holds everywhere keeps other systems out of the lock."""
    project = f'[project]\nname = "{title}"\nversion = "0"\nrequires-python = ">={PYTHONS[0]}"\n'
    project += f"dependencies = {json.dumps(requirements)}\n"
    return f'{project}[tool.uv]\nenvironments = ["{MARKER}"]\nrequired-environments = ["{MARKER}"]\n'


def _compile(title: str, folder: Path, variables: Mapping[str, str], *arguments: str) -> None:
    command = [
        *_uv(),
        "pip",
        "compile",
        "--quiet",
        "--python",
        sys.executable,
        "--only-binary",
        ":all:",
        *arguments,
    ]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=variables)
    if result.returncode != 0:
        words = " ".join((result.stderr or result.stdout or "no message").split())
        raise MissingPrerequisite(f"the lock of {title} cannot be resolved: {words[:500]}")


def _uv() -> list[str]:
    """Raises: MissingPrerequisite if there is none."""
    if found := shutil.which("uv"):
        return [found]
    if importlib.util.find_spec("uv"):
        return [sys.executable, "-m", "uv"]
    raise MissingPrerequisite("a lock is resolved by uv, which is not here: `pip install uv`")


def _sources() -> Mapping[str, str]:
    """Where pip looks, said to uv in its own variables; those that are set already win."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    pairs = (line.partition("=")[::2] for line in sorted(listed.splitlines(), reverse=True))
    found = {key.rpartition(".")[2]: value.strip("'") for key, value in pairs}  # ":env:" comes last and wins
    return {SOURCES[key]: value for key, value in found.items() if key in SOURCES}
