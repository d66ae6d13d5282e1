"""suite plan: what a profile would run."""

from __future__ import annotations

import click

from harness import planning
from harness.cli import screen
from harness.environments.choose import choose
from harness.plan import Selection, order


@click.group("plan")
def command() -> None:
    """Looks at plans."""


@command.command("show")
@click.argument("profile", default="quick")
@click.option("--seed", default=planning.DEFAULT_SEED, show_default=True)
def show(profile: str, seed: int) -> None:
    """Prints the treatments, blocks and expected time of a PROFILE (quick, standard)."""
    request = planning.PlanRequest(profile, Selection(), seed, None)
    found = planning.make_plan(request, choose("virtualenv"))
    screen.print_plan(found, len(order(found)))
