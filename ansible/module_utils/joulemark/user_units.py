"""Units of those who are logged in (file indexers, software centres), in their own managers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.joulemark.command import run

INSTALLED = (Path("/usr/lib/systemd/user"), Path("/etc/systemd/user"))
MASKS = Path("/run/systemd/user")  # for all managers, until the next boot
SOCKETS = "*/systemd/private"  # below /run/user: of each manager


def keys(unit: str) -> list[str]:
    return [unit] if any((folder / unit).exists() for folder in INSTALLED) else []


def look(unit: str) -> dict[str, Any] | None:
    """Whether it is hidden, and the users (numbers) in whose managers it is active. Raises: OSError."""
    if not keys(unit):
        return None
    return {
        "masked": (MASKS / unit).is_symlink(),
        "active": [uid for uid in _managers() if _active(uid, unit)],
    }


def _managers() -> list[str]:
    return sorted(socket.parents[1].name for socket in Path("/run/user").glob(SOCKETS))


def _active(uid: str, unit: str) -> bool:
    return _control(uid, "show", "--property=ActiveState", unit).strip() == "ActiveState=active"


def _control(uid: str, *words: str) -> str:
    """systemctl of a user's own manager. Raises: Refused."""
    user = ("setpriv", f"--reuid={uid}", "--clear-groups", "env", f"XDG_RUNTIME_DIR=/run/user/{uid}")
    return run(*user, "systemctl", "--user", *words)


def put_back(unit: str, before: dict[str, Any] | None) -> None:
    """Raises: OSError."""
    if before is None:
        return
    if not before["masked"]:
        (MASKS / unit).unlink(missing_ok=True)
    for uid in _managers():
        _control(uid, "daemon-reload")
        if uid in before["active"]:
            _control(uid, "start", unit)


def silence(unit: str) -> None:
    """Raises: OSError."""
    MASKS.mkdir(parents=True, exist_ok=True)
    if not (MASKS / unit).is_symlink():
        (MASKS / unit).symlink_to("/dev/null")
    for uid in _managers():
        _control(uid, "daemon-reload")
        _control(uid, "stop", unit)


def silent(unit: str, state: dict[str, Any]) -> bool:
    return bool(state["masked"]) and not state["active"]
