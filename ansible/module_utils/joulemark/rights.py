"""Who may read a file of sysfs: owner, group and mode, not its content."""

from __future__ import annotations

import glob
import os
import stat
from pathlib import Path
from typing import Any


def keys(pattern: str) -> list[str]:
    """Real paths: /sys/class holds links."""
    return sorted({os.path.realpath(path) for path in glob.glob(pattern)})  # noqa: PTH207 - absolute


def look(path: str) -> dict[str, Any] | None:
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return None
    return {"uid": found.st_uid, "gid": found.st_gid, "mode": f"{stat.S_IMODE(found.st_mode):04o}"}


def put_back(path: str, before: dict[str, Any] | None) -> None:
    """Raises: OSError."""
    if before is not None:
        os.chown(path, before["uid"], before["gid"])
        Path(path).chmod(int(before["mode"], 8))
