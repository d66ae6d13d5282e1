"""A campaign that a cluster carried out as one plan, taken for one campaign of each of its nodes' sessions: pure.

So that each node is what is replicated when it is merged with others, as it is where nothing is merged.
"""

from __future__ import annotations

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
