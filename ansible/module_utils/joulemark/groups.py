"""Groups and who is in them."""

from __future__ import annotations

import grp

from ansible.module_utils.joulemark.command import run


def keys(name: str) -> list[str]:
    return [name]


def look(name: str) -> list[str] | None:
    try:
        return sorted(grp.getgrnam(name).gr_mem)
    except KeyError:
        return None


def put_back(name: str, before: list[str] | None) -> None:
    """Raises: Refused."""
    now = look(name) or []
    if before is None:
        run("groupdel", name)
        return
    for user in sorted(set(now) - set(before)):
        run("gpasswd", "--delete", user, name)
    for user in sorted(set(before) - set(now)):
        run("gpasswd", "--add", user, name)
