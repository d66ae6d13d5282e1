"""Timers and daemons of systemd."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.joulemark.command import run

RUNNING = ("active", "reloading")  # a job of a timer is only ever "activating": it is not started again
ADMIN = Path("/etc/systemd/system")
HIDDEN = ("masked-runtime", "masked")


def here() -> bool:
    """Whether systemd runs this host (sd_booted(3))."""
    return Path("/run/systemd/system").is_dir()


def keys(unit: str) -> list[str]:
    """Only what is installed: a unit that comes later is recorded when it is there."""
    return [unit] if here() and look(unit) is not None else []


def look(unit: str) -> dict[str, Any] | None:
    """Raises: Refused."""
    properties = ("--property=LoadState", "--property=ActiveState", "--property=UnitFileState")
    shown = dict(line.split("=", 1) for line in run("systemctl", "show", *properties, unit).splitlines())
    if shown["LoadState"] == "not-found":
        return None
    return {"active": shown["ActiveState"] in RUNNING, "enabled": shown["UnitFileState"]}


def put_back(unit: str, before: dict[str, Any] | None) -> None:
    """Raises: Refused."""
    now = look(unit)
    if before is None or now is None:
        return
    if now["enabled"] == "masked-runtime" != before["enabled"]:
        run("systemctl", "unmask", "--runtime", unit)
    if before["enabled"] in ("enabled", "disabled") and before["enabled"] != (look(unit) or {})["enabled"]:
        run("systemctl", before["enabled"][:-1], unit)
    if before["active"] != now["active"]:
        run("systemctl", "start" if before["active"] else "stop", unit)


def silence(unit: str) -> None:
    """Stops a unit, and keeps D-Bus, sockets and timers from starting it until the next boot. Raises: Refused."""
    if _of_the_admin(unit):
        run("systemctl", "stop", unit)
    else:
        run("systemctl", "mask", "--runtime", "--now", unit)


def silent(unit: str, state: dict[str, Any]) -> bool:
    """Whether it neither runs nor, as far as it can be hidden, may be started."""
    return not state["active"] and (state["enabled"] in HIDDEN or _of_the_admin(unit))


def _of_the_admin(unit: str) -> bool:
    """Files and aliases in /etc go before masks in /run (systemd.unit(5)): such a unit can only be stopped."""
    file = ADMIN / unit
    return file.exists() and file.resolve() != Path("/dev/null")
