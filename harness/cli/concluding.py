"""What follows the last run, whether the campaign was new or resumed."""

from __future__ import annotations

from harness import store
from harness.campaign import Campaign
from harness.cli import screen
from harness.cli.report import write_report


def conclude(campaign: Campaign, all_count: bool) -> int:
    """Writes the report and prints the summary: 0 if every run counts, 1 if any does not or was left out."""
    report = write_report(campaign.folder)
    screen.print_summary(store.load_campaign(campaign.folder))
    screen.say(f"report: {report.absolute()}")
    return 0 if all_count and not campaign.plan.skipped else 1
