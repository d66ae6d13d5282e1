"""One campaign at a time on a machine: a second one would measure the first. A lock on a file that all users share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness import paths
from harness.errors import MissingPrerequisite
from harness.files import exclusive
from harness.files.untrusted import parse_json, printable


@contextmanager
def hold(campaign: Path | None, patience_s: float = exclusive.GRACE_S) -> Iterator[None]:
    """Holds the machine for a campaign; None for a proof of equal work. Waits so long for who does.

    Raises: MissingPrerequisite naming who holds it all the same.
    """
    descriptor = exclusive.open_lock(paths.machine_lock(), 0o666)  # the next campaign may be another user's
    try:
        if not exclusive.acquire(descriptor, patience_s):
            raise MissingPrerequisite(f"{_holder(descriptor)}; one campaign at a time on a machine")
        with suppress(OSError):  # on a full disk it is held all the same; nobody can read by whom
            os.ftruncate(descriptor, 0)
            holder = {"pid": os.getpid(), "campaign": str(campaign.absolute()) if campaign else None}
            os.pwrite(descriptor, json.dumps(holder).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    """In the words that it left, which anybody could have written."""
    try:
        found = parse_json(os.pread(descriptor, 4096, 0))
        folder = found["campaign"]
        what = "a proof of equal work" if folder is None else f"the campaign in {printable(folder)}"
        return f"{what} is under way (process {int(found['pid'])})"
    except (ValueError, KeyError, TypeError):  # it has the lock, and has not written yet
        return "another campaign is under way"
