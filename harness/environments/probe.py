"""What an interpreter holds, asked of the interpreter itself."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from harness import shape_errors
from harness.errors import MissingPrerequisite
from harness.files.untrusted import parse_json

# Runs inside; stdlib only.
SOURCE = """
import importlib.metadata, json, platform
packages = {d.metadata["Name"].lower().replace("_", "-"): d.version for d in importlib.metadata.distributions()}
print(json.dumps({"python": platform.python_version(), "packages": dict(sorted(packages.items()))}))
"""


# The length apart: a bounded repetition of a class that large takes a tenth of a second to compile.
Word = Annotated[str, StringConstraints(pattern=r"^[\w.+!~-]+$", max_length=100)]


class _Found(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    python: Word
    packages: Annotated[dict[Word, Word], Field(max_length=5_000)]


def probe(python: Path, timeout_s: float = 60) -> dict[str, Any]:
    """{"python": version, "packages": {name: version}} of an interpreter.

    Raises: MissingPrerequisite if it is not a working Python.
    """
    result = run(python, SOURCE, timeout_s)
    try:
        return parsed(result)
    except ValueError as error:
        raise MissingPrerequisite(f"{python} is not a Python that works: {result[:200]!r}") from error


def parsed(text: str) -> dict[str, Any]:
    """What SOURCE printed. Raises: ValueError for anything else; an image may hold whatever it likes."""
    try:
        return _Found.model_validate(parse_json(text)).model_dump()
    except ValidationError as error:
        raise ValueError(shape_errors.reason(error)) from None


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
