"""Which nodes carried out a campaign, in the form of a merged one's, so that a node counts once in statistics.

A node is what the scheduler calls so: nodes that boot from one image may have one machine id. Its blocks are of one
session as long as it was neither started anew nor set otherwise. Pure over records.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from harness.cluster.records import BlockRecord
from harness.findings.codes import Code
from harness.merging import alike, joined
from harness.merging.stretches import SET, SLACK_S
from harness.records import CampaignRecord, SourceRecord


@dataclass(frozen=True)
class Collected:
    """A block that a node has carried out: by whom, and the node's own record of it."""

    by: BlockRecord
    record: CampaignRecord

    @property
    def set_as(self) -> str:
        return json.dumps({name: self.record.machine.get(name) for name in SET}, sort_keys=True, default=str)

    def is_of(self, other: Collected) -> bool:
        """Whether both were measured on one node in one session."""
        same_start = abs(self.by.booted_s - other.by.booted_s) <= SLACK_S
        return self.by.node == other.by.node and same_start and self.set_as == other.set_as


def record_of(before: CampaignRecord, blocks: Sequence[Collected]) -> CampaignRecord:
    """The campaign's record with what is known once these blocks are there; `before`: as it was planned."""
    if not blocks:
        return before
    sessions = _sessions(blocks)
    records = [one[0].record for one in sessions]
    names = [f"node {one[0].by.node}" for one in sessions]
    own = tuple(one for one in before.findings if one.code != Code.NODES_DIFFER)
    return before.model_copy(
        update={
            "machine": _machine(sessions),
            "channels": tuple({c.name: c for one in records for c in one.channels}.values()),
            "unavailable": tuple(dict.fromkeys(each for one in records for each in one.unavailable)),
            "findings": (*own, *joined.unlike(records, names)),
            "environments": {name: each for one in records for name, each in one.environments.items()},
            "sources": tuple(_sources(sessions)),
        }
    )


def why_other(reference: CampaignRecord, here: CampaignRecord) -> str:
    """Why a node may not take part where another has begun; empty where it may (rule R40)."""
    if changed := list(alike.differing(reference, here)):
        return f"what it would run is not what the first node runs: {'; '.join(changed)} differ"
    if other := alike.hardware([reference, here]):
        told = "; ".join(f"{name}: {values[1]} instead of {values[0]}" for name, values in other.items())
        return f"its hardware is not the first node's ({told})"
    return ""


def _sessions(blocks: Sequence[Collected]) -> list[list[Collected]]:
    """In the order of their blocks."""
    found: list[list[Collected]] = []
    for one in sorted(blocks, key=lambda each: each.by.block):
        known = next((each for each in found if one.is_of(each[0])), None)
        if known is None:
            found.append(known := [])
        known.append(one)
    return found


def _machine(sessions: Sequence[Sequence[Collected]]) -> dict[str, object]:
    facts = dict(joined.shared([one[0].record.machine for one in sessions]))
    nodes = [f"{one[0].record.machine.get('machine_id')} {one[0].by.node}" for one in sessions]
    return facts | {"machine_id": joined.together([*nodes, ""])}


def _sources(sessions: Sequence[Sequence[Collected]]) -> list[SourceRecord]:
    names = list(dict.fromkeys(one[0].by.node for one in sessions))
    return [
        SourceRecord(
            campaign_id=one[0].record.campaign_id, created=one[0].record.created,
            node=names.index(one[0].by.node) + 1, session=number, after=0,
            blocks=sum(1 for each in one if each.by.block), machine=one[0].record.machine,
            channels=one[0].record.channels, unavailable=one[0].record.unavailable,
            taken=tuple(each.by.block for each in one), node_name=one[0].by.node,
        )
        for number, one in enumerate(sessions, 1)
    ]  # fmt: skip
