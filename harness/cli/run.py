"""suite run: plans, prepares, measures, reports."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from harness.campaign.anonymous_campaign import AnonymousCampaign
from harness.campaign.planned import PlannedCampaign
from harness.cli import (
    looking_told,
    plan_told,
    preparing,
    profiler_told,
    requirements,
    resuming,
    screen,
    selecting,
)
from harness.cli.carrying_out import Manner, carry_out
from harness.cli.percent import PERCENT
from harness.environments.choose import choose
from harness.errors import UsageError
from harness.planning import planner
from harness.planning.plan import Selection, order


@click.command("run")
@click.option("--all", "everything", is_flag=True, help="Every workload on every framework.")
@selecting.options
@selecting.profile_runs
@selecting.profile_tools
@click.option("--profile", default="standard", show_default=True, help="quick or standard.")
@click.option(
    "--environment", default="auto", show_default=True, help="auto, docker, virtualenv, interpreter=PATH."
)
@selecting.device
@click.option("--allow-stale", is_flag=True, help="Run images whose workloads are not the checkout's.")
@click.option("--require", default="", help="Refuse instead of making do: docker,gpu,rapl,data,verified.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the campaign.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    help="Go on with the campaign in this folder, as it was planned.",
)
@click.option("--force-new-machine", is_flag=True, help="Resume even on another machine; its runs say so.")
@click.option("--fail-fast", is_flag=True, help="End the campaign at the first run that does not count.")
@click.option(
    "--log-format",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="json: one object a line for each wait, run, phase and finding, and for the watts of each 2 s.",
)
@click.option(
    "--until",
    type=PERCENT,
    metavar="MARGIN",
    help="Stop once every ratio has a verdict, or is known to within MARGIN (2%); -r is then the most blocks.",
)
@click.option("--reference", help="With --until: hold the others against this FRAMEWORK[@VERSION].")
@click.option(
    "--anonymous", is_flag=True, help="Record nothing that tells whose machine it is, or who measures."
)
@click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="First prove equal work, where no certificate covers it.",
)
@click.option("--dry-run", is_flag=True, help="Print the exact order and do nothing.")
def command(**options: Any) -> int:
    """Measures, and writes a campaign folder with a report."""
    manner = Manner(options["fail_fast"], options["log_format"])
    if manner.log_format == "json":
        screen.leave_stdout_to_machines()
    if options["resume"]:
        _nothing_else(options)
        return resuming.go_on(options["resume"], options["environment"], options["force_new_machine"], manner)
    request = _request(options)
    choice = choose(options["environment"], options["device"], options["allow_stale"])
    plan = planner.make_plan(request, choice)
    findings = preparing.notices_of(plan, choice, verify=options["verify"])
    if not plan.treatments:
        raise UsageError(f"nothing of the plan can run: {plan.skipped[0].reason}; see: suite plan show")
    if options["dry_run"]:
        plan_told.print_order(plan, order(plan))
        return 0
    requirements.check(options["require"], findings)
    folder = options["output"] or Path("results") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{plan.profile}"
    preparing.require_place(folder, plan)
    if plan.profile_runs:
        profiler_told.tell_left_out(plan, plan.profile_tools)
    if any(one.looked_at for one in order(plan)):
        looking_told.require()
    kind = AnonymousCampaign if options["anonymous"] else PlannedCampaign
    campaign = preparing.prepare(kind, folder, request, choice, plan, findings, options["verify"])
    return carry_out(campaign, manner, resumed=False)


def _nothing_else(options: dict[str, Any]) -> None:
    """Raises: UsageError if the user plans anew what the campaign's own plan decides."""
    planning_options = (
        "everything",
        "workloads",
        "frameworks",
        "stages",
        "repetitions",
        "until",
        "reference",
        "anonymous",
        "boundary",
        "pretrained",
        "profile_runs",
        "profile_tools",
    )
    if any(options[name] for name in planning_options):
        raise UsageError(
            "--resume carries out the plan of the campaign: leave out --all, -w, -f, -s, -r, --until, --reference, "
            "--anonymous, --boundary, --pretrained, --profile-runs and --profile-tool"
        )


def _request(options: dict[str, Any]) -> planner.PlanRequest:
    if options["reference"] and not options["until"]:
        raise UsageError("--reference goes with --until; a report of any campaign takes one: suite report")
    request = replace(
        selecting.request(options["profile"], options), until=options["until"], reference=options["reference"]
    )
    if not options["everything"] and request.selection == Selection():
        raise UsageError(
            "say what to run: --all, or -w WORKLOAD, -f FRAMEWORK, -s STAGE (see: suite plan show)"
        )
    return request
