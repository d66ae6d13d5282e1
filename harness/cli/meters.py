"""suite meters: what this machine can measure, and what it cannot."""

from __future__ import annotations

import click

from harness import meters
from harness.cli import meters_told
from harness.planning import planner


@click.command("meters")
def command() -> None:
    """Every channel with its unit, scope and provenance; for what is missing, why, and the remedy."""
    meters_told.print_channels(meters.find_all(meters.settings(planner.protocol("quick").power_model)))
