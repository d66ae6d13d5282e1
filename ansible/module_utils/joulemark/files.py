"""Files and links that setup.yml may write: they come back byte for byte, or go if they were not there."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from ansible.module_utils.joulemark import rights


def keys(path: str) -> list[str]:
    return [path]


def look(path: str) -> dict[str, Any] | None:
    """Raises: OSError."""
    file = Path(path)
    if file.is_symlink():
        return {"link": str(file.readlink())}
    found = rights.look(path)
    if found is None:
        return None
    return {**found, "base64": base64.b64encode(file.read_bytes()).decode()}


def put_back(path: str, before: dict[str, Any] | None) -> None:
    """Raises: OSError."""
    if before is None:
        Path(path).unlink()
    elif "link" in before:
        Path(path).unlink(missing_ok=True)
        Path(path).symlink_to(before["link"])
    else:
        _write(Path(path), before)


def _write(file: Path, before: dict[str, Any]) -> None:
    """Beside it, then renamed: nobody reads half a file."""
    beside = file.with_name(f".{file.name}.joulemark")
    beside.write_bytes(base64.b64decode(before["base64"]))
    rights.put_back(str(beside), before)
    beside.replace(file)
