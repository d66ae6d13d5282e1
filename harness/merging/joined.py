"""The record of a merged campaign, from those that go into it; pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from harness.errors import UsageError
from harness.findings.codes import Code, Severity
from harness.merging import alike, proven
from harness.merging.given import Mergeable
from harness.planning.plan_limits import MOST_RUNS
from harness.records import CampaignRecord, Finding, PlannedRun, SourceRecord

MACHINE_ID_DIGITS = 32


def record(campaign_id: str, found: Sequence[Mergeable], places: Sequence[tuple[int, int]]) -> CampaignRecord:
    """`places`: the node and the session of each. What differs between nodes is null in what all share.

    Raises: UsageError for more runs than a campaign may have.
    """
    first, records = found[0].record, [one.record for one in found]
    sources = tuple(_sources(found, places))
    channels = {channel.name: channel for one in records for channel in one.channels}
    return first.model_copy(
        update={
            "campaign_id": campaign_id,
            "created": max(one.created for one in records),
            "plan": first.plan.model_copy(update=_plan(found)),
            "order": tuple(_order(records, sources)),
            "machine": _machine(found),
            "channels": tuple(channels.values()),
            "unavailable": tuple(dict.fromkeys(each for one in records for each in one.unavailable)),
            "findings": tuple(_findings(found, sources)),
            "environments": {name: each for one in records for name, each in one.environments.items()},
            "tasks": {name: each for one in records for name, each in one.tasks.items()},
            "datasets": {name: each for one in records for name, each in one.datasets.items()},
            "sources": sources,
            "made_by": shared([one.made_by for one in records]) or "",
            "identity": together([one.identity for one in records]),
        }
    )


def _sources(found: Sequence[Mergeable], places: Sequence[tuple[int, int]]) -> Iterator[SourceRecord]:
    before = accumulate((one.blocks for one in found), initial=0)
    for one, (node, session), after in zip(found, places, before, strict=False):
        yield SourceRecord(
            campaign_id=one.record.campaign_id, created=one.record.created, node=node, session=session, after=after,
            blocks=one.blocks, machine=one.record.machine, channels=one.record.channels,
            unavailable=one.record.unavailable, own_blocks=one.node.own_blocks if one.node else (),
            node_name=one.node.node_name if one.node else None, identity=one.record.identity,
        )  # fmt: skip


def _plan(found: Sequence[Mergeable]) -> dict[str, Any]:
    """As many blocks as all together; what some machine lacked, once."""
    plans = [one.record.plan for one in found]
    skipped = {each.model_dump_json(): each for plan in plans for each in plan.skipped}
    return {
        "repetitions": sum(one.blocks for one in found),
        "skipped": tuple(skipped.values()),
        "expected_run_s": max(plan.expected_run_s for plan in plans),
    }


def _order(records: Sequence[CampaignRecord], sources: Sequence[SourceRecord]) -> Iterator[PlannedRun]:
    if (count := sum(len(one.order) for one in records)) > MOST_RUNS:
        raise UsageError(
            f"together they have {count} runs, more than the {MOST_RUNS} of a campaign: merge fewer"
        )
    for number, (one, source) in enumerate(zip(records, sources, strict=True), 1):
        yield from (source.placed(number, planned) for planned in one.order)


def _machine(found: Sequence[Mergeable]) -> dict[str, Any]:
    """What all nodes have in common. Several nodes have an identity of their own, which is that of the same nodes."""
    shared_facts = dict(shared([one.record.machine for one in found]))
    return shared_facts | {"machine_id": together([one.machine_id for one in found])}


def together(identities: Sequence[str]) -> str:
    """The identity of several machines, or campaigns: of the same ones, the same."""
    ids = sorted(set(identities))
    joined = hashlib.sha256("\n".join(ids).encode()).hexdigest()[:MACHINE_ID_DIGITS]
    return ids[0] if len(ids) == 1 else joined


def shared(values: Sequence[Any]) -> Any:
    """What all values have in common; null in its place where they differ."""
    first = values[0]
    if all(one == first for one in values):
        return first
    if all(isinstance(one, dict) for one in values):
        names = dict.fromkeys(name for one in values for name in one)
        return {name: shared([one.get(name) for one in values]) for name in names}
    if all(isinstance(one, list) and len(one) == len(first) for one in values):
        return [shared([one[place] for one in values]) for place in range(len(first))]
    return None


def labels(sources: Sequence[SourceRecord]) -> list[str]:
    """Of each source, as it is told: "node 2", with its session where some node has several."""
    pairs = {(one.node, one.session) for one in sources}
    several = len(pairs) > len({node for node, _ in pairs})
    return [f"node {one.node}" + (f", session {one.session}" if several else "") for one in sources]


def _findings(found: Sequence[Mergeable], sources: Sequence[SourceRecord]) -> Iterator[Finding]:
    """Each campaign's own, of which machine they are; and what merging itself has to say."""
    names = labels(sources)
    seen: dict[str, tuple[Finding, dict[str, None]]] = {}
    for one, label in zip(found, names, strict=True):
        for finding in one.record.findings:
            seen.setdefault(finding.model_dump_json(), (finding, {}))[1][label] = None
    for finding, where in seen.values():
        everywhere = len(where) == len(set(names))
        told = finding.message if everywhere else f"{' and '.join(where)}: {finding.message}"
        yield finding.model_copy(update={"message": told})
    yield from proven.findings(found, names)
    yield from unlike([one.record for one in found], names)


def unlike(records: Sequence[CampaignRecord], names: Sequence[str]) -> Iterator[Finding]:
    """What the machines of several records differ in; `names`: what each is called."""
    for severity, facts in (
        (Severity.WARNING, alike.hardware(records)),
        (Severity.INFO, alike.set_up(records)),
    ):
        for fact, values in facts.items():
            yield Finding.of(Code.NODES_DIFFER, f"{fact}: {_by_value(values, names)}", severity=severity)


def _by_value(values: Sequence[Any], names: Sequence[str]) -> str:
    """E.g. node 1 and node 3: 6.8; node 2: 6.9."""
    found: dict[str, dict[str, None]] = {}
    for value, name in zip(values, names, strict=True):
        text = (
            "unknown"
            if value is None
            else value
            if isinstance(value, str)
            else json.dumps(value, default=str)
        )
        found.setdefault(text, {})[name] = None
    return "; ".join(f"{' and '.join(where)}: {text}" for text, where in found.items())
