"""What `suite run` does: refuses, shows the order, goes on with a campaign, or carries out a new one."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from harness.campaign.anonymous_campaign import AnonymousCampaign
from harness.campaign.planned import PlannedCampaign
from harness.cli import (
    executing,
    looking_told,
    plan_told,
    preparing,
    profiler_told,
    requirements,
    resume_options,
    resuming,
    screen,
    selecting,
)
from harness.cli.budget import Budget
from harness.cli.carrying_out import Manner, carry_out
from harness.environments.choose import choose
from harness.errors import UsageError
from harness.planning import planner
from harness.planning.plan import Selection, order


def run(options: dict[str, Any]) -> int:
    """`options`: those of harness.cli.run, by name; the exit code. Raises: UsageError for what cannot be asked."""
    budget = Budget(options["budget"], time.monotonic()) if options["budget"] else None
    manner = Manner(options["fail_fast"], options["log_format"], budget, options["verify"])
    if manner.log_format == "json":
        screen.leave_stdout_to_machines()
    slurm = executing.on_slurm(options)
    if options["resume"]:
        resume_options.require_none_of_a_plan(click.get_current_context())
        if options["dry_run"]:
            resuming.tell(options["resume"])
            return 0
        if slurm:
            return int(_slurm().go_on(options["resume"], options))
        return resuming.go_on(
            options["resume"],
            options["environment"],
            options["allow_stale"],
            options["force_new_machine"],
            manner,
        )
    request = _request(options)
    choice = (
        _slurm().choice_of(options)
        if slurm
        else choose(options["environment"], options["device"], options["allow_stale"])
    )
    plan = planner.make_plan(request, choice)
    findings = preparing.notices_of(plan, choice, verify=options["verify"])
    if not plan.treatments:
        raise UsageError(f"nothing of the plan can run: {plan.skipped[0].reason}; see: suite plan show")
    requirements.require_known(options["require"])
    if options["dry_run"]:
        plan_told.print_order(plan, order(plan))
        return 0
    folder = options["output"] or Path("results") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{plan.profile}"
    if slurm:
        of_nodes = _slurm().ForNodes(plan, choice, findings, options["verify"])
        return int(_slurm().begin(folder, request, of_nodes, options))
    requirements.check(options["require"], findings)
    preparing.require_place(folder, plan)
    if plan.profile_runs:
        profiler_told.tell_left_out(plan, plan.profile_tools)
    looking_told.require({one.looked_at_by for one in order(plan) if one.looked_at})
    kind = AnonymousCampaign if options["anonymous"] else PlannedCampaign
    campaign = preparing.prepare(kind, folder, request, choice, plan, findings, options["verify"])
    return carry_out(campaign, manner, resumed=False)


def _slurm() -> ModuleType:
    from harness.cli import on_slurm  # no other campaign waits for what a cluster needs

    return on_slurm


def _request(options: dict[str, Any]) -> planner.PlanRequest:
    if options["reference"] and not (options["until"] or options["budget"]):
        raise UsageError(
            "--reference goes with --until or --budget; a report of any campaign takes one: suite report"
        )
    request = replace(
        selecting.request(options["profile"], options), until=options["until"], reference=options["reference"],
        by_turns=bool(options["budget"]),
    )  # fmt: skip
    if not options["everything"] and request.selection == Selection():
        raise UsageError(
            "say what to run: --all, or -w WORKLOAD, -f FRAMEWORK, -s STAGE (see: suite plan show)"
        )
    return request
