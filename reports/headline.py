"""The page's first lines: what was measured, on what, how, and what the joules are."""

from __future__ import annotations

from typing import Any

from harness.analysis.groups import Group, treatments_of
from harness.analysis.summary import Analysis
from harness.analysis.withheld import reasons
from harness.findings.codes import Code
from harness.records import IMPORTED, Purpose
from harness.store import Campaign
from reports import profiled_headline, resolution
from reports.formats import listed, plural, quantity
from reports.wording import IMPORTED_WORK, badge_of_all, boundary_channels, energy_statement

ISOLATIONS = {
    "docker": "each in its own Docker container",
    "apptainer": "each in its own Apptainer image, without root and without a network",
    "virtualenv": "each in its own virtualenv, without containers",
    "interpreter": "in the interpreter at hand, without isolation",
    IMPORTED: "imported from files that other tools wrote",
}


def headline(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    names = treatments_of(analysis.groups)
    found = {
        "title": _title(analysis.groups, names),
        "lead": _lead(analysis, campaign, names),
        "energy": energy_statement(campaign),
        "badge": badge_of_all(analysis.counted) or _planned_badge(campaign),
        "counts": _counts(analysis),
        "resolution": resolution.typeset(resolution.of(campaign).words),
        "withheld": bool(reasons(analysis.costs)),
        "question": "",
        "answers": [],
    }
    profiled = analysis.profiles.alone and analysis.profiles.workloads
    return found | (profiled_headline.headline(analysis.profiles) if profiled else {})


def _planned_badge(campaign: Campaign) -> str:
    found = {str(channel.provenance) for channel in boundary_channels(campaign)}
    return found.pop() if len(found) == 1 else "mixed provenance" if found else "no energy"


def _title(groups: tuple[Group, ...], names: tuple[str, ...]) -> str:
    workloads = list(dict.fromkeys(group.workload for group in groups))
    what = listed(workloads) if len(workloads) <= 3 else plural(len(workloads), "workload")
    verb = "costs" if len(workloads) == 1 else "cost"
    return f"What {what or 'no workload'} {verb} on {_on_what(names)}"


def _on_what(names: tuple[str, ...]) -> str:
    """One framework in several versions is named with them."""
    frameworks = dict.fromkeys(name.rpartition(" ")[0] for name in names)
    if len(frameworks) == 1 < len(names):
        return f"{names[0].rpartition(' ')[0]} {listed(name.rpartition(' ')[2] for name in names)}"
    versions = f" in {len(names)} versions" if len(names) > len(frameworks) else ""
    return plural(len(frameworks), "framework") + versions


def _lead(analysis: Analysis, campaign: Campaign, names: tuple[str, ...]) -> str:
    record = campaign.record
    works = dict.fromkeys(
        f"{g.workload} ({_stages(analysis.groups, g)}) on {g.dataset}" for g in analysis.groups
    )
    how = ISOLATIONS.get(record.isolation, f"isolation: {record.isolation}")
    blocks = plural(record.plan.repetitions, "repetition")
    if record.plan.turns and not campaign.stop:
        most = max((run.record.planned.block for run in campaign.runs), default=0)
        blocks = f"by turns, up to {most} of at most {plural(record.plan.repetitions, 'block')}"
    if campaign.stop:
        blocks = f"stopped after {campaign.stop.blocks} of at most {record.plan.repetitions} blocks"
    what = f"{listed(works) or 'No workload'}, with {listed(names) or 'no framework'}"
    return (
        f"{what}, {how}; {blocks} on {_nodes(campaign)}{_machine(campaign)}.{_said_first(analysis, campaign)}"
    )


def _said_first(analysis: Analysis, campaign: Campaign) -> str:
    """Before any figure: small data and few epochs are no measure of the published work, unproven work of nothing."""
    codes, text = {finding.code for finding in campaign.record.findings}, ""
    if Code.SCALED_DOWN in codes:
        text += (
            f" Profile {campaign.record.plan.profile} scales data and training: Validity names each change."
        )
    if Code.NOT_VERIFIED in codes:
        text += " Nobody has proven that the implementations do the same work: Equal work names them."
    if campaign.record.isolation == IMPORTED and analysis.costs["ratio"].notna().any():
        text += f" {IMPORTED_WORK}"
    return text


def _stages(groups: tuple[Group, ...], group: Group) -> str:
    same = [g for g in groups if (g.workload, g.dataset) == (group.workload, group.dataset)]
    return " and ".join(dict.fromkeys(g.stage for g in same))


def _nodes(campaign: Campaign) -> str:
    """Of a merged campaign."""
    nodes = len({one.node for one in campaign.record.sources})
    return f"{nodes} nodes, each with: " if nodes > 1 else ""


def _machine(campaign: Campaign) -> str:
    machine = campaign.record.machine
    parts = [
        str(machine.get("cpu_model") or ""),
        _cpus(machine.get("logical_cpus")),
        _memory(machine.get("memory_bytes")),
    ]
    return ", ".join(part for part in parts if part) or "a machine that is not described"


def _cpus(count: object) -> str:
    return f"{count} logical CPUs" if count else ""


def _memory(size: object) -> str:
    return f"{quantity(float(size), 'bytes')} of memory" if isinstance(size, int | float) else ""


def _counts(analysis: Analysis) -> str:
    """What was not run to be measured, as controls, was never meant to count: others tell of it."""
    counted, waiting = len(analysis.counted), len(analysis.open)
    excluded = int((analysis.excluded["purpose"] == Purpose.MEASURE).sum())
    text = (
        "No run counts"
        if not counted
        else f"{plural(counted, 'run')} {'counts' if counted == 1 else 'count'}"
    )
    text += f", {excluded} {'is' if excluded == 1 else 'are'} excluded" if excluded else ""
    return text + (f", {waiting} of the plan not carried out" if waiting else "") + "."
