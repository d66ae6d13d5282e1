"""suite profile: which functions the joules go to, seen from outside while a workload runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from harness.cli import selecting


@click.command("profile")
@click.argument("workloads", nargs=-1, required=True, metavar="WORKLOAD...")
@selecting.frameworks
@selecting.stages
@click.option(
    "--profile", default="quick", show_default=True, help="Whose settings: quick, standard, icse22."
)
@click.option("--environment", default="auto", show_default=True, help="auto, docker, virtualenv.")
@selecting.boundary
@selecting.seed
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the campaign.")
def command(output: Path | None, environment: str, profile: str, **chosen: Any) -> int:
    """Runs each once with its stacks looked at 200 times a second, and prints its functions by joules.

    Joules of functions are attributed by sampling, not measured: each has its 95 % interval, and functions that the
    meter cannot tell apart say so. Looking costs time and energy, so that such runs are never compared.
    """
    from harness.campaign import carrying_out
    from harness.campaign.profiled_campaign import ProfiledCampaign
    from harness.cli import preparing, profile_told, screen
    from harness.cli.carrying_out import Manner, progress_of
    from harness.cli.report import write_report
    from harness.environments.choose import choose
    from harness.errors import UsageError
    from harness.planning import planner
    from harness.profiling import spy

    spy.program()
    request = selecting.request(profile, {**chosen, "repetitions": 1, "pretrained": ()})
    choice = choose(environment)
    plan = planner.make_plan(request, choice)
    if not plan.treatments:
        raise UsageError(f"nothing of the plan can run: {plan.skipped[0].reason}; see: suite plan show")
    folder = output or Path("results") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-profile"
    findings = preparing.notices_of(plan, choice, verify=True)
    campaign = preparing.prepare(ProfiledCampaign, folder, request, choice, plan, findings, verify=False)
    with progress_of(campaign, Manner(), resumed=False) as observer:
        every = carrying_out.carry_out(campaign, observer)
    profile_told.tell(folder)
    screen.say(f"report: {write_report(folder).absolute()}")
    screen.say(f"stacks and samples: {folder.absolute()}")
    return 0 if every else 1
