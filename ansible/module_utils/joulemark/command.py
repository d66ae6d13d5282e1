"""Programs of the host."""

from __future__ import annotations

import os
import subprocess


class Refused(OSError):
    """A program did not do what it was asked for; the last line that it wrote says why."""


def run(*argv: str) -> str:
    """What the program prints. Raises: Refused, FileNotFoundError if it is not installed."""
    environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    result = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    if result.returncode != 0:
        said = (result.stderr or result.stdout).strip().splitlines() or [f"exit code {result.returncode}"]
        raise Refused(f"{' '.join(argv)}: {said[-1]}")
    return result.stdout
