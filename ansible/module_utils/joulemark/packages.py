"""Packages that setup.yml installs; they go all at once, and their settings and data stay (remove, not purge)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ansible.module_utils.joulemark.command import Refused, run

NEW = re.compile(r"^Inst ([^ :]+)\S* \(", re.MULTILINE)  # an upgrade has the old version in brackets instead

GONE = re.compile(r"^Remv (\S+)", re.MULTILINE)


def keys(names: str) -> list[str]:
    """Those packages and what they need, as far as they are not installed. Raises: Refused if apt knows one not."""
    return NEW.findall(run("apt-get", "--simulate", "--no-install-recommends", "install", *names.split()))


def look(name: str) -> bool:
    """Whether it is installed."""
    try:
        return run("dpkg-query", "--show", "--showformat=${db:Status-Status}", name) == "installed"
    except Refused:
        return False


def put_back(name: str, before: bool) -> None:
    """Raises: Refused, for `remove` should have done it."""
    raise Refused(f"{name} is {'no longer' if before else 'still'} installed")


def remove(names: Iterable[str]) -> None:
    """Raises: Refused if something that was installed since needs them, or apt fails."""
    ours = sorted(name for name in names if look(name))
    if not ours:
        return
    others = set(GONE.findall(run("apt-get", "--simulate", "remove", *ours))) - set(ours)
    if others:
        needs = ", ".join(sorted(others))
        raise Refused(
            f"{needs} would go with what setup.yml installed: remove that first, or keep_packages=true"
        )
    run("apt-get", "remove", "--yes", *ours)
