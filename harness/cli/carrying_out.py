"""A campaign under the user's eyes, new or resumed, to its report."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from harness import store
from harness.analysis import equal_work
from harness.analysis.groups import own_words
from harness.campaign import carrying_out, remaining
from harness.campaign.planned import PlannedCampaign
from harness.cli import looking_told, profile_told, screen, summary_told, turns_told
from harness.cli.budget import Budget
from harness.cli.progress import Progress
from harness.cli.progress_json import JsonProgress
from harness.cli.reported import write_report
from harness.inventory.tasks import Tasks
from harness.planning import costs
from harness.records import Plan


@dataclass(frozen=True)
class Manner:
    """How the user wants it: ended by the first failure or by time, shown as text or as JSON lines."""

    fail_fast: bool = False
    log_format: str = "text"
    budget: Budget | None = None
    verify: bool = True


def carry_out(campaign: PlannedCampaign, manner: Manner, resumed: bool) -> int:
    """Runs what is missing, writes the report: 0 if every run counts, 1 if any does not or was left out.

    Modes and precisions that a framework or the device does not have are no failure.
    """
    budget = manner.budget
    campaign = replace(
        campaign,
        fail_fast=manner.fail_fast,
        ends_s=budget.ends_s if budget else None,
        proves=manner.verify and bool(campaign.plan.turns),
    )
    if budget:
        budget.tell_what_fits(campaign)
    with progress_of(campaign, manner, resumed) as observer:
        all_count = (
            carrying_out.resume(campaign, observer) if resumed else carrying_out.carry_out(campaign, observer)
        )
    code = conclude(campaign.folder, campaign.plan, all_count)
    if campaign.plan.turns:
        costs.keep(_took_s(campaign))
        turns_told.tell_what_is_open(campaign.folder)
    elif budget:
        budget.tell_what_is_left(campaign)
    return code


def _took_s(campaign: PlannedCampaign) -> dict[str, float]:
    made = (run.record for run in store.load_campaign(campaign.folder).unprofiled)
    return remaining.took_s(campaign.plan, made)


def conclude(folder: Path, plan: Plan, all_count: bool) -> int:
    """Writes the report of what was carried out; the exit code."""
    report = write_report(folder)
    carried_out = store.load_campaign(folder)
    summary_told.print_summary(carried_out)
    if plan.profile_runs:
        profile_told.tell(folder)
        looking_told.tell(carried_out)
    screen.say(f"report: {report.absolute()}")
    parted = equal_work.parted(carried_out.runs, Tasks.of(carried_out.record))
    return 0 if all_count and not plan.missed and not parted else 1


def progress_of(campaign: PlannedCampaign, manner: Manner, resumed: bool) -> Progress | JsonProgress:
    done = [run.record for run in store.load_campaign(campaign.folder).runs] if resumed else []
    order = campaign.order if not campaign.plan.turns else turns_told.first_turns(campaign.order)
    left = remaining.of_campaign(campaign.plan, order, done, time.monotonic())
    left.ends_s = campaign.ends_s
    if manner.log_format == "json":
        return JsonProgress(left)
    return Progress(screen.console, left, own_words(campaign.plan.treatments))
