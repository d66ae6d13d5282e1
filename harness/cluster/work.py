"""Which blocks are to be submitted, and which nodes get none: pure, from the plan and the records of jobs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from harness.cluster.records import Ending, JobRecord, NodeRecord
from harness.records import PlannedRun


@dataclass(frozen=True)
class Work:
    """What a controller has before it. `done`: collected; `given_up`: until it is resumed."""

    blocks: tuple[int, ...]
    done: frozenset[int]
    given_up: frozenset[int]
    under_way: frozenset[int]

    @property
    def is_over(self) -> bool:
        return not self.under_way and not self.next_ones(1)

    def next_ones(self, nodes: int) -> list[int]:
        """As many as may be in the queue. What all others begin with, block 0, is done alone and before them."""
        waiting = [one for one in self.blocks if one not in self.done | self.given_up | self.under_way]
        if 0 in self.blocks and 0 not in self.done:
            return [0] if 0 in waiting and not self.under_way else []
        return waiting[: max(0, nodes - len(self.under_way))]


def blocks_of(order: Iterable[PlannedRun]) -> tuple[int, ...]:
    return tuple(sorted({one.block for one in order}))


def under_way(jobs: Iterable[JobRecord]) -> list[JobRecord]:
    return [one for one in jobs if one.ending is None]


def unfit(nodes: Iterable[NodeRecord]) -> dict[str, str]:
    """Name -> why it gets no work."""
    return {one.node: one.reason for one in nodes if not one.fit}


def left_out(jobs: Sequence[JobRecord], known: Collection[str]) -> dict[str, str]:
    """The nodes whose jobs said that they are not fit, beside those that are known: what kept them from telling why."""
    told = {one.node: one.reason for one in jobs if one.ending is Ending.UNFIT and one.node}
    return {node: reason for node, reason in told.items() if node not in known}


def latest(jobs: Iterable[JobRecord]) -> dict[int, JobRecord]:
    """Of each block that was submitted, its last job."""
    return {one.block: one for one in jobs}
