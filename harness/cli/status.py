"""suite status: how far a campaign is, also while it runs; it reads the folder and disturbs nothing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from harness import store
from harness.analysis.groups import own_words
from harness.analysis.lost_samples import lost_samples
from harness.analysis.suite_versions import suite_changed
from harness.campaign import lock, remaining
from harness.cli import completing, live_lines, screen
from harness.cluster import places
from harness.findings.codes import Severity
from harness.records import Finding, Plan
from harness.records.source import of_one_plan


@click.command("status")
@click.argument("folder", type=click.Path(path_type=Path), shell_complete=completing.campaigns)
def command(folder: Path) -> None:
    """Says how far the campaign in FOLDER is, what it is doing, and what became of its runs."""
    under_way = lock.is_held(folder)  # first: a campaign that ends meanwhile was not interrupted
    campaign = store.load_campaign(folder)
    now = _queue(campaign) if places.is_one(folder) else _now(campaign) if under_way else ()
    found = [*lost_samples(campaign.runs), *suite_changed(campaign.record, campaign.runs)]
    for line in [*_summary(campaign, under_way, found), *now]:
        screen.say(line)
    for finding in found:
        screen.say(f"{finding.severity}: {finding.code}: {finding.message} ({finding.advice})")
    for run in campaign.runs:
        if run.record.reason:
            screen.say(f"{run.record.planned.run_id}: {run.record.outcome}: {run.record.reason}")


def _summary(campaign: store.Campaign, under_way: bool, of_all: Sequence[Finding]) -> Iterator[str]:
    planned = {one.run_id for one in campaign.order}
    done = planned & {run.record.planned.run_id for run in campaign.runs}
    state = "under way" if under_way else "complete" if done == planned else _left(campaign)
    yield f"{campaign.record.campaign_id}: {state}, {len(done)} of {len(planned)} runs done"
    if sources := campaign.record.sources:
        nodes, sessions = ({getattr(one, name) for one in sources} for name in ("node", "session"))
        what = "on a cluster" if of_one_plan(sources) else f"merged of {len(sources)} campaigns"
        yield f"{what}: nodes {len(nodes)}, sessions {len(sessions)}"
    outcomes = Counter(str(run.record.outcome) for run in campaign.runs)
    yield _counted(outcomes) or "no run yet"
    told = (one for run in campaign.runs for one in run.record.findings)
    found = Counter(one.severity for one in (*told, *of_all))
    warnings = "warning" if found[Severity.WARNING] == 1 else "warnings"
    grave = Counter({str(Severity.INVALID): found[Severity.INVALID], warnings: found[Severity.WARNING]})
    yield f"findings: {_counted(grave) or 'none'}"


def _left(campaign: store.Campaign) -> str:
    """A budget that is spent leaves work: that is no interruption."""
    plan = campaign.record.plan
    return "open" if isinstance(plan, Plan) and plan.turns else "interrupted"


def _queue(campaign: store.Campaign) -> Iterator[str]:
    from harness.cli import queue_told  # what tells of nodes compares their hardware: no help waits

    yield from queue_told.lines(campaign.folder, campaign.order)


def _now(campaign: store.Campaign) -> Iterator[str]:
    current = store.run_under_way(campaign.folder)
    if current is None:
        yield "now: between two runs"
    else:
        phases = [name for event in current.events if (name := live_lines.phase(event))]
        words = [current.run_id, *_place(campaign, current.run_id), phases[-1] if phases else "startup"]
        yield f"now: {', '.join(words)}"
    if not isinstance(campaign.record.plan, Plan):
        return
    records = [run.record for run in campaign.runs]
    left = remaining.of_campaign(campaign.record.plan, campaign.order, records, time.monotonic())
    eta = left.eta(time.monotonic())
    yield f"ETA {live_lines.clock(eta.seconds)} {live_lines.interval(eta)}".rstrip()


def _place(campaign: store.Campaign, run_id: str) -> Iterator[str]:
    """What sets a planned run's work apart, and its block; nothing of a repetition."""
    for planned in (one for one in campaign.order if one.run_id == run_id):
        if own := own_words(campaign.record.plan.treatments)(planned.treatment):
            yield own
        yield live_lines.place(planned)


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items()) if count)
