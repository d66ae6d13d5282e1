"""Whether root is about to run what somebody else may change."""

from __future__ import annotations

import os
import pwd
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from harness import paths
from harness.doctor.check import Check, judged

ROOT = 0


def checks() -> Iterator[Check]:
    if os.geteuid() == ROOT:
        yield of_places([paths.ROOT, Path(sys.prefix), Path(sys.argv[0])])


def of_places(places: list[Path]) -> Check:
    """The checkout, its environment and the program, with all folders on the way to them."""
    open_to = sorted({f"{place} ({who})" for one in places for place, who in changeable(one)})
    return judged(
        "code run by root",
        not open_to,
        f"others may change it: {', '.join(open_to)}" if open_to else "only root may change it",
        "what root runs, whoever may change decides: they are then root, too",
        "call suite as yourself, without sudo, or let root own the checkout",
    )


def changeable(path: Path) -> Iterator[tuple[Path, str]]:
    """What on the way to a path somebody else than root may change, and who."""
    whole = path.resolve()
    for place in (whole, *whole.parents):
        if place.exists() and (who := _who(place.stat())):
            yield place, who


def _who(found: os.stat_result) -> str:
    if found.st_uid != ROOT:
        return _name(found.st_uid)
    if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX:
        return ""  # each may change their own there
    if found.st_mode & stat.S_IWOTH:
        return "everybody"
    return "its group" if found.st_mode & stat.S_IWGRP and found.st_gid != ROOT else ""


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
