"""Whether a node may carry out blocks: before its first one, by doctor, by proofs and by work that never changes.

What is not fit is the node's fault, in one line: it gets no work, and its block goes to another.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from harness import store
from harness.campaign.carrying_out import carry_out_held
from harness.campaign.steps import Observer
from harness.cluster import disk
from harness.cluster.block_campaign import BlockCampaign
from harness.cluster.nodes import why_other
from harness.cluster.places import Places
from harness.cluster.records import CheckRecord, NodeRecord
from harness.conformance import asked, certificate
from harness.conformance.proving import prove
from harness.doctor import Check, Level, every_check, of_engine
from harness.energy.series import NS_PER_S
from harness.errors import SuiteError
from harness.records import Outcome, Plan, PlannedRun, Purpose
from suite.protocol import CONTROL

CONTAINERS = "docker"  # the isolation that needs an engine
log = logging.getLogger(__name__)
ROUNDS = 1_000_000  # of the control workload on each CPU, where the plan has none: about half a second
SLOWER = 1.5  # times as long as nodes of the same hardware take for the same work: one of the two is not well
PAUSES_S = (0.0, 1.0, 3.0, 9.0)  # before each try of a node that seems slow: what else it does may pass
ALWAYS = (
    "memory",
    "disk of campaigns",
    "clock source",
)  # of doctor's checks: without these nothing is measured


class NotEqualHere(SuiteError):
    """What the plan compares does not do the same work: no node helps."""


@dataclass(frozen=True)
class Examined:
    """A node's record of the plan's needs, from what it was found to be."""

    node: str
    booted_s: float
    reason: str = ""
    checks: tuple[Check, ...] = ()
    control_s: float | None = None

    def record(self) -> NodeRecord:
        checks = (CheckRecord(name=c.name, level=str(c.level), state=c.state[:2000]) for c in self.checks)
        return NodeRecord(
            node=self.node, reason=" ".join(self.reason.split())[:2000], checks=tuple(checks),
            control_s=self.control_s, booted_s=self.booted_s,
        )  # fmt: skip


def examine(campaign: BlockCampaign, node: Examined, places: Places, observer: Observer) -> Examined:
    """What speaks against the node, if anything does: the same for all that its record is asked for later.

    `campaign`: of the control workload alone. Raises: NotEqualHere where the plan is no comparison on any node.
    """
    here = replace(node, checks=tuple(every_check()))
    others = [one for one in disk.nodes(places) if one.fit]
    checks = wanted(here.checks, {one.isolation for one in campaign.environments.values()})
    if why := "; ".join(lacking(checks, others)):
        return replace(here, reason=why)
    if why := why_other(disk.reference(places, campaign.record()), campaign.record()):
        return replace(here, reason=why)
    usual = [one.control_s for one in others if one.control_s]
    for attempt, pause_s in enumerate(PAUSES_S, 1):
        time.sleep(pause_s)
        once = replace(campaign, folder=campaign.folder.parent / str(attempt) / campaign.folder.name)
        if not carry_out_held(once, observer):
            return replace(here, reason=f"its control workload failed: {_why_failed(once.folder)}")
        here = replace(here, control_s=fastest(here.control_s, _control_s(once.folder)))
        if not too_slow(here.control_s, usual):
            return here
    return replace(here, reason=too_slow(here.control_s, usual))


def wanted(checks: Iterable[Check], isolations: Collection[str]) -> list[Check]:
    """Of doctor's checks, those that a plan needs which runs so: without containers no engine need answer."""
    return [one for one in checks if CONTAINERS in isolations or not of_engine(one)]


def lacking(checks: Sequence[Check], others: Sequence[NodeRecord]) -> Iterator[str]:
    """What doctor misses here: of what nothing can do without, and of what the fit nodes have."""
    missed = {check.name for one in others for check in one.checks if check.level == Level.MISSING}
    for one in (one for one in checks if one.level is Level.MISSING):
        if one.name in ALWAYS or (others and one.name not in missed):
            yield f"{one.name}: {one.state}"


def fastest(one: float | None, other: float | None) -> float | None:
    """What disturbs a node for a moment makes its work slower, never faster."""
    return min((seconds for seconds in (one, other) if seconds is not None), default=None)


def too_slow(seconds: float | None, others: Sequence[float]) -> str:
    """Of the control workload; empty where it takes what it takes on the other nodes."""
    if seconds is None or not others or seconds <= SLOWER * (usual := median(others)):
        return ""
    return f"its control workload took {seconds:.3g} s, where the other nodes take {usual:.3g} s"


def prove_missing(campaign: BlockCampaign) -> None:
    """What the plan compares and nobody has proven of this hardware. Raises: NotEqualHere naming who differs."""
    isolations = {one.isolation for one in campaign.environments.values()}
    missing = certificate.missing(campaign.plan.treatments, certificate.load(isolations))
    if not missing:
        return
    found = prove(missing, list(asked.all_of(campaign.plan.treatments)), campaign.environments, log.info)
    certificate.save(found)
    if differing := [one for one in found if not one.passed]:
        names = dict.fromkeys(f"{one.workload} {one.framework} {one.version}" for one in differing)
        raise NotEqualHere(
            f"these do not do the same work: {', '.join(names)}; leave them out, or measure with --no-verify"
        )


def control_run(plan: Plan, order: Sequence[PlannedRun]) -> PlannedRun:
    """The plan's own control workload, or a short one where it has none; without the rest before it."""
    treatment = next((one.treatment for one in order if one.purpose == Purpose.CONTROL), plan.treatments[0])
    settings = {"idle_s": 0, "rounds": plan.control_rounds or ROUNDS}
    work = treatment.model_copy(update={"workload": CONTROL, "stage": CONTROL, "settings": settings})
    return PlannedRun(
        run_id="fitness", block=0, position=0, repetition=0, treatment=work, purpose=Purpose.CONTROL
    )


def _control_s(folder: Path) -> float | None:
    for run in store.load_campaign(folder).runs:
        if run.record.outcome is Outcome.OK and run.record.done_ns and run.record.go_ns:
            return (run.record.done_ns - run.record.go_ns) / NS_PER_S
    return None


def _why_failed(folder: Path) -> str:
    reasons = [run.record.reason for run in store.load_campaign(folder).runs if run.record.reason]
    return reasons[-1] if reasons else "it was not made"
