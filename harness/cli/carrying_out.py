"""A campaign under the user's eyes, new or resumed, to its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness import store
from harness.campaign import Campaign
from harness.cli import screen
from harness.cli.report import write_report
from harness.records import PlannedRun


@dataclass(frozen=True)
class Manner:
    """How the user wants it: ended by the first failure or not, shown as text or as JSON lines."""

    fail_fast: bool = False
    log_format: str = "text"


def carry_out(campaign: Campaign, missing: Sequence[PlannedRun], manner: Manner, resumed: bool) -> int:
    """Runs what is missing, writes the report: 0 if every run counts, 1 if any does not or was left out."""
    campaign = replace(campaign, fail_fast=manner.fail_fast)
    with screen.progress(missing, campaign.plan.expected_run_s, manner.log_format) as observer:
        all_count = campaign.resume(observer) if resumed else campaign.carry_out(observer)
    report = write_report(campaign.folder)
    screen.print_summary(store.load_campaign(campaign.folder))
    screen.say(f"report: {report.absolute()}")
    return 0 if all_count and not campaign.plan.skipped else 1
