"""suite profile: which functions the joules go to, which functions and operators the time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from harness.cli import completing, known_words, selecting
from harness.cli.one_of import OneOf


@click.command("profile")
@click.argument(
    "workloads", nargs=-1, required=True, metavar="WORKLOAD...", shell_complete=completing.workloads
)
@selecting.frameworks
@selecting.stages
@click.option(
    "--profile", default="quick", show_default=True, help="Whose settings: quick, standard, icse22."
)
@click.option("--environment", default="auto", show_default=True, help="auto, docker, apptainer, virtualenv.")
@selecting.device
@click.option(
    "--tool",
    "tools",
    multiple=True,
    type=OneOf(known_words.TOOLS),
    default=known_words.TOOLS[:1],
    help="py-spy: joules, from outside; py-spy-native: of compiled functions, too; cprofile: calls and seconds; "
    "operators: the framework's own (repeatable).",
)
@selecting.pretrained_weights
@selecting.boundary
@selecting.seed
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the campaign.")
def command(
    output: Path | None, environment: str, device: str, profile: str, tools: tuple[str, ...], **chosen: Any
) -> int:
    """Runs each once under each tool, and prints its functions by joules, its functions or its operators by time.

    Joules of functions are attributed by sampling, not measured: each has its 95 % interval, and functions that the
    meter cannot tell apart say so. Profiling costs time and energy, so that such runs are never compared.
    """
    from harness import store
    from harness.campaign import carrying_out
    from harness.campaign.profiled_campaign import ProfiledCampaign
    from harness.cli import looking_told, preparing, profile_told, profiler_told, screen
    from harness.cli.carrying_out import Manner, progress_of
    from harness.cli.reported import write_report
    from harness.environments.choose import choose
    from harness.errors import UsageError
    from harness.planning import planner
    from harness.records import Profiler

    profilers = tuple(dict.fromkeys(map(Profiler, tools)))
    request = replace(selecting.request(profile, {**chosen, "repetitions": 1}), under=profilers)
    choice = choose(environment, device)
    plan = planner.make_plan(request, choice)
    if not plan.treatments:
        raise UsageError(f"nothing of the plan can run: {plan.skipped[0].reason}; see: suite plan show")
    folder = output or Path("results") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-profile"
    findings = preparing.notices_of(plan, choice, verify=True)
    preparing.require_place(folder, plan)
    profiler_told.tell_left_out(plan, profilers)
    looking_told.require(profilers)
    kind = partial(ProfiledCampaign, profilers=profilers)
    campaign = preparing.prepare(kind, folder, request, choice, plan, findings, verify=False)
    with progress_of(campaign, Manner(), resumed=False) as observer:
        every = carrying_out.carry_out(campaign, observer)
    profile_told.tell(folder)
    looking_told.tell(store.load_campaign(folder))
    screen.say(f"report: {write_report(folder).absolute()}")
    screen.say(f"stacks, tables and samples: {folder.absolute()}")
    return 0 if every else 1
