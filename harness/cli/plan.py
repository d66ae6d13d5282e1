"""suite plan: what a profile would run."""

from __future__ import annotations

from typing import Any

import click

from harness import planning
from harness.cli import screen, selecting
from harness.environments.choose import choose
from harness.plan import order


@click.group("plan")
def command() -> None:
    """Looks at plans."""


@command.command("show")
@click.argument("profile", default="quick")
@selecting.options
def show(profile: str, **options: Any) -> None:
    """Prints the treatments, blocks and expected time of a PROFILE (quick, standard), or of a part of it."""
    found = planning.make_plan(selecting.request(profile, options), choose("virtualenv"))
    screen.print_plan(found, len(order(found)))
