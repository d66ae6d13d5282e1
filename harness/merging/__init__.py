"""Campaigns of one plan, measured on several machines or in several sessions, as one campaign: nothing is measured.

Their runs are copied byte for byte; only their names and the numbers of their blocks are new, and stand in the merged
campaign's own record (harness.records.source), beside the records of every campaign that went into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness import store
from harness.errors import UsageError
from harness.merging import alike, given, joined, stretches, writing
from harness.merging.given import Mergeable, Stamp


def merge(folders: Sequence[Path], out: Path, different_hardware: bool = False) -> Path:
    """A campaign at `out` of those in `folders`, whole or not at all; merged ones count as those that went into them.

    Raises: UsageError where they are no campaigns of one plan, hold a run twice, or ran on different hardware and
    nobody asked for that; CampaignError and UnsafeFile for what cannot be read or written.
    """
    store.require_new(out)
    several = given.told_apart([one for folder in folders for one in given.read(folder)])
    found = sorted(several, key=_when)
    if len(found) < 2:
        raise UsageError("there is nothing to merge: name at least two campaigns")
    _require_each_once(found)
    alike.require_one_plan(found)
    if not different_hardware:
        alike.require_same_hardware(found)
    return writing.write(found, joined.record(out.absolute().name, found, stretches.placed(found)), out)


def _when(one: Mergeable) -> tuple[str, Stamp]:
    """So that the order in which they are named changes nothing."""
    return one.record.created, min(one.stamps)


def _require_each_once(found: Sequence[Mergeable]) -> None:
    """A run that counts twice would make every interval too narrow; which of two copies is meant, nobody knows."""
    seen: dict[Stamp, Mergeable] = {}
    for one in found:
        for stamp in one.stamps:
            if stamp in seen:
                raise UsageError(
                    f"{seen[stamp].name} and {one.name} hold the same runs ({stamp[0]}): name each campaign once"
                )
            seen[stamp] = one
