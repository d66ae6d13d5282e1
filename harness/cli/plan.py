"""suite plan: what a profile would run."""

from __future__ import annotations

from typing import Any

import click

from harness import meters
from harness.cli import completing, plan_told, proof_first, published_told, screen, selecting
from harness.environments.choose import choose
from harness.host import machine
from harness.inventory import catalog
from harness.planning import planner
from harness.planning.plan import order


@click.group("plan")
def command() -> None:
    """Looks at plans."""


@command.command("show")
@click.argument("profile", default="quick", shell_complete=completing.plans)
@selecting.options
@selecting.profile_runs
@selecting.profile_tools
def show(profile: str, **options: Any) -> None:
    """Prints what a PROFILE, or a plan's file, would run, for how long, with which energy and on how much disk."""
    found = planner.make_plan(selecting.request(profile, options), choose("virtualenv"))
    runs = len(order(found))
    plan_told.print_plan(found, runs)
    published_told.tell(found, {name: one.spec for name, one in catalog.workloads().items()})
    offered = meters.find_all(meters.configuration(found.power_model, found.boundary))
    proof_first.tell(found)
    screen.say(f"energy: {offered.boundary or 'none'}; disk: up to {runs * machine.RUN_BYTES >> 20} MiB")
