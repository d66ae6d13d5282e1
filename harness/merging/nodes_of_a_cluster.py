"""A campaign that a cluster carried out as one plan, taken for one campaign of each of its nodes' sessions: pure.

So that each node is what is replicated when it is merged with others, as it is where nothing is merged.
"""

from __future__ import annotations

from collections import Counter

from harness.exports import anonymous
from harness.findings.codes import Code
from harness.records import CampaignRecord, SourceRecord


def record_of(whole: CampaignRecord, source: SourceRecord) -> CampaignRecord:
    """What the node would have recorded, had it carried its own blocks out alone."""
    mark = {name: value for name, value in whole.machine.items() if name == anonymous.MARK}
    return whole.model_copy(
        update={
            "created": source.created,
            "order": tuple(one for one in whole.order if one.block in set(source.taken)),
            "machine": {**source.machine, **mark},
            "channels": source.channels,
            "unavailable": source.unavailable,
            "findings": tuple(one for one in whole.findings if one.code != Code.NODES_DIFFER),
            "sources": (),
        }
    )


def merged(source: SourceRecord) -> SourceRecord:
    """As a merged campaign tells of it: its blocks are numbered anew, `own_blocks` says how they were called."""
    blocks = sum(1 for block in source.taken if block)
    return source.model_copy(update={"taken": (), "own_blocks": source.taken, "blocks": blocks, "after": 0})


def identities(whole: CampaignRecord) -> list[str]:
    """Of each source, the machine that it was; the scheduler's word for it, too, where several nodes have one id."""
    nodes = dict.fromkeys((one.machine.get("machine_id"), one.node_name) for one in whole.sources)
    names = Counter(machine_id for machine_id, _ in nodes)
    return [_identity(one, names[one.machine.get("machine_id")] > 1) for one in whole.sources]


def _identity(source: SourceRecord, shared: bool) -> str:
    machine_id = str(source.machine.get("machine_id"))
    return f"{machine_id} {source.node_name}" if shared else machine_id
