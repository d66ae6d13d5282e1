"""suite meters: what this machine can measure, and what it cannot."""

from __future__ import annotations

import click

from harness import meters
from harness.cli import meters_told, selecting
from harness.planning import planner
from harness.records import DEFAULT_BOUNDARY


@click.command("meters")
@selecting.boundary
def command(boundary: str | None) -> None:
    """Every channel with its unit, scope and provenance; for what is missing, why, and the remedy."""
    model = planner.protocol("quick").power_model
    meters_told.print_channels(meters.find_all(meters.configuration(model, boundary or DEFAULT_BOUNDARY)))
