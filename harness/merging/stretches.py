"""On which node and in which session each campaign was measured, as its own records tell; pure.

Campaigns of one machine are one session where it was neither started anew nor set otherwise between them: what a
session does to all of its runs would else count as if it had happened twice. The start of a machine is the time of
day at which its monotonic clock stood at 0. Whoever measured at the same time was no such machine, whatever its id
says: copies of a disk have the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from harness.energy.series import NS_PER_S
from harness.merging.given import Mergeable

SLACK_S = 10.0  # the time of day is told in seconds, and may be set right meanwhile
SET = ("kernel", "settings")


@dataclass(frozen=True)
class Stretch:
    """`booted_s`: None where the runs of one campaign do not agree on it, as where it was resumed after a start."""

    node: str
    booted_s: float | None
    begin_ns: int
    end_ns: int
    set_as: str

    def continues(self, other: Stretch) -> bool:
        """Whether both are of one session."""
        apart = self.begin_ns >= other.end_ns or other.begin_ns >= self.end_ns
        known = self.booted_s is not None and other.booted_s is not None
        same = known and abs((self.booted_s or 0.0) - (other.booted_s or 0.0)) <= SLACK_S
        return self.node == other.node and self.set_as == other.set_as and apart and same


def placed(found: Sequence[Mergeable]) -> list[tuple[int, int]]:
    """Of each campaign the number of its node and that of its session, both from 1 in the order given."""
    stretches = [_stretch(one) for one in found]
    nodes = list(dict.fromkeys(one.node for one in stretches))
    sessions: list[list[Stretch]] = []
    places = []
    for one in stretches:
        known = next((n for n, each in enumerate(sessions) if all(map(one.continues, each))), len(sessions))
        sessions += [[]] if known == len(sessions) else []
        sessions[known].append(one)
        places.append((nodes.index(one.node) + 1, known + 1))
    return places


def _stretch(one: Mergeable) -> Stretch:
    begin, end = min(run.start_ns for run in one.runs), max(run.exit_ns for run in one.runs)
    set_as = json.dumps({name: one.record.machine.get(name) for name in SET}, sort_keys=True, default=str)
    return Stretch(one.machine_id, _booted_s(one), begin, end, set_as)


def _booted_s(one: Mergeable) -> float | None:
    """A stranger's record may hold anything in place of a time."""
    try:
        found = [datetime.fromisoformat(r.started).timestamp() - r.start_ns / NS_PER_S for r in one.runs]
    except (ValueError, OverflowError):
        return None
    return found[0] if max(found) - min(found) <= SLACK_S else None
