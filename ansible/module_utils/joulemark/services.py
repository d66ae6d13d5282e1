"""Units of packages that setup.yml may install: also that they were not there is worth remembering."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.joulemark import units


def keys(unit: str) -> list[str]:
    return [unit] if units.here() else []


def look(unit: str) -> dict[str, Any] | None:
    """A removed package of Debian leaves its unit masked until it is purged: it is gone all the same."""
    found = units.look(unit)
    return None if found == {"active": False, "enabled": "masked"} else found


def put_back(unit: str, before: dict[str, Any] | None) -> None:
    """Raises: Refused."""
    if before is None:
        units.run("systemctl", "disable", "--now", unit)
    else:
        units.put_back(unit, before)
