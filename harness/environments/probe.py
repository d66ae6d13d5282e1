"""What an interpreter holds, asked of the interpreter itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from harness.errors import MissingPrerequisite

# Runs inside; stdlib only.
SOURCE = """
import importlib.metadata, json, platform
packages = {d.metadata["Name"].lower().replace("_", "-"): d.version for d in importlib.metadata.distributions()}
print(json.dumps({"python": platform.python_version(), "packages": dict(sorted(packages.items()))}))
"""


def probe(python: Path, timeout_s: float = 60) -> dict[str, Any]:
    """{"python": version, "packages": {name: version}} of an interpreter.

    Raises: MissingPrerequisite if it is not a working Python.
    """
    result = run(python, SOURCE, timeout_s)
    try:
        found: dict[str, Any] = json.loads(result)
    except ValueError as error:
        raise MissingPrerequisite(f"{python} is not a Python that works: {result[:200]!r}") from error
    return found


def run(python: Path, source: str, timeout_s: float = 120) -> str:
    """Runs source in an interpreter and returns what it printed.

    Raises: MissingPrerequisite with the last line of what it complained about.
    """
    try:
        result = subprocess.run(
            [python, "-I", "-c", source], capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingPrerequisite(f"{python} does not run: {error}") from error
    if result.returncode != 0:
        complaint = (result.stderr.strip().splitlines() or ["no message"])[-1]
        raise MissingPrerequisite(f"{python} fails its check: {complaint}")
    return result.stdout
