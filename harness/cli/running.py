"""What `suite run` does: refuses, shows the order, goes on with a campaign, or carries out a new one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.campaign.anonymous_campaign import AnonymousCampaign
from harness.campaign.planned import PlannedCampaign
from harness.cli import looking_told, plan_told, preparing, requirements, resuming, screen, selecting
from harness.cli.carrying_out import Manner, carry_out
from harness.environments.choose import choose
from harness.errors import UsageError
from harness.planning import planner
from harness.planning.plan import Selection, order


def run(options: dict[str, Any]) -> int:
    """`options`: those of harness.cli.run, by name; the exit code. Raises: UsageError for what cannot be asked."""
    manner = Manner(options["fail_fast"], options["log_format"])
    if manner.log_format == "json":
        screen.leave_stdout_to_machines()
    if options["resume"]:
        _nothing_else(options)
        if options["dry_run"]:
            resuming.tell(options["resume"])
            return 0
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
    if plan.profile_runs:
        looking_told.require()
    folder = options["output"] or Path("results") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{plan.profile}"
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
    )
    if any(options[name] for name in planning_options):
        raise UsageError(
            "--resume carries out the plan of the campaign: leave out --all, -w, -f, -s, -r, --until, --reference, "
            "--anonymous, --boundary, --pretrained and --profile-runs"
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
