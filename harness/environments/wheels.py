"""Wheels of a lock, downloaded and hash-checked by the host's pip: its mirrors, proxies and CAs stay its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from harness import paths
from harness.environments import pins
from harness.errors import MissingPrerequisite

PYTHON = pins.PYTHONS[0]  # of the images
# manylinux tags that wheels of the pinned versions carry; pip matches each one literally
PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in (5, 12, 17, 24, 26, 27, 28)),
    *(f"manylinux{year}_x86_64" for year in (1, 2010, 2014)),
    "linux_x86_64",
)


def download(lock: Path, title: str, python: str = PYTHON) -> Path:
    """Fills the wheelhouse with every wheel of the lock and returns it; wheels already there are not fetched.

    Raises: MissingPrerequisite with pip's own last line if a wheel cannot be had or its hash differs.
    """
    from filelock import FileLock  # whoever only asks for versions does not wait for it

    house = paths.wheels_home()
    house.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--require-hashes", "--no-deps", "--quiet", "--quiet"]
    command += ["--disable-pip-version-check", "--only-binary=:all:", "--find-links", str(house)]
    command += ["--dest", str(house), "--python-version", python, "--implementation", "cp"]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    with tempfile.NamedTemporaryFile("w", suffix=".lock") as requirements:
        requirements.write(pins.without_markers(lock, python))
        requirements.flush()
        command += ["-r", requirements.name]
        with FileLock(f"{house}.lock"):  # pip copies wheels into place: nobody finds half of one
            result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise MissingPrerequisite(f"the wheels of {title} cannot be had: {last_error(result.stderr)}")
    return house


def last_error(output: str) -> str:
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR")]
    return errors[-1] if errors else (output.strip().splitlines() or ["pip said nothing"])[-1]
