"""Where the runs of a campaign of several machines come from: one record for each campaign, or node, of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from harness.records.base import Count, Identity, Record
from harness.records.metering import Channel, Unavailable
from harness.records.planned import PlannedRun

Ordinal = Annotated[int, Field(ge=1, lt=2**31)]


class SourceRecord(Record):
    """One campaign of a merged one: on which node it was measured, in which session, and where its blocks stand.

    `node` and `session` count from 1 over the merged campaign; sources of one node and session are one stretch of
    time. `after`: so many blocks of other sources stand before its own, of which there are `blocks`.

    Of a campaign whose blocks a cluster's nodes carried out, a source is what one of them did in one session:
    `taken` are the numbers of its blocks, in the one plan of all; `node_name` is the scheduler's word for it. Once
    that campaign is merged with others, they are its `own_blocks`: what its runs' files call them.
    """

    campaign_id: str
    created: str
    node: Ordinal
    session: Ordinal
    after: Count
    blocks: Count
    machine: dict[str, Any]
    channels: tuple[Channel, ...]
    unavailable: tuple[Unavailable, ...] = ()
    taken: Annotated[tuple[Count, ...], Field(exclude_if=lambda taken: not taken)] = ()
    own_blocks: Annotated[tuple[Count, ...], Field(exclude_if=lambda blocks: not blocks)] = ()
    node_name: Annotated[str | None, Field(exclude_if=lambda name: name is None)] = None
    identity: Annotated[Identity, Field(exclude_if=lambda told: not told)] = ""  # of its campaign

    def has(self, block: int) -> bool:
        """Whether a block of the whole campaign is its own."""
        if self.taken:
            return block in self.taken
        return self.after < block <= self.after + self.blocks

    def placed(self, number: int, planned: PlannedRun) -> PlannedRun:
        """A run of this source, the `number`-th, at its place in the merged campaign. Its file stays what it was."""
        further = self._place(planned.block) - planned.block
        return planned.model_copy(
            update={
                "run_id": name_of_run(number, planned.run_id),
                "block": planned.block + further,
                "repetition": max(0, planned.repetition + further),
            }
        )

    @property
    def numbered(self) -> tuple[int, ...]:
        """What its own campaign calls its blocks, in their order; what is done once before all of them is none."""
        return (
            tuple(sorted(filter(None, self.own_blocks)))
            if self.own_blocks
            else tuple(range(1, self.blocks + 1))
        )

    def _place(self, block: int) -> int:
        """Of one of its own blocks in the merged campaign."""
        if not block:
            return 0
        own = {each: place for place, each in enumerate(self.numbered, 1)} if self.own_blocks else {}
        return self.after + own.get(block, block)


def name_of_run(number: int, run_id: str) -> str:
    """Of the `number`-th source's run: no two clash, whatever the sources called theirs."""
    return f"{number}-{run_id}"


def number_in(name: str, sources: Sequence[SourceRecord]) -> int:
    """Which source a run's name in a merged campaign names; 0 where it names none."""
    number = name.partition("-")[0]
    known = number.isascii() and number.isdigit() and len(number) < 10 and not number.startswith("0")
    return int(number) if known and int(number) <= len(sources) else 0


def of_block(block: int, sources: Sequence[SourceRecord]) -> int:
    """The number of the source whose block it is; 0 where it is no source's."""
    return next((n for n, one in enumerate(sources, 1) if one.has(block)), 0)


def by_block(sources: Sequence[SourceRecord]) -> dict[int, int]:
    """Of nodes that carried out one plan together: the number of each block's source."""
    return {block: number for number, one in enumerate(sources, 1) for block in one.taken}


def of_one_plan(sources: Sequence[SourceRecord]) -> bool:
    """Whether they are nodes that carried out one plan together, whose runs and blocks have its own names."""
    return any(one.taken for one in sources)
