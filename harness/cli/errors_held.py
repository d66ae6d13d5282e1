"""The option that says how errors are held over the ratios of a table."""

from __future__ import annotations

import click

from harness.analysis.multiplicity import LEVELS, SIMULTANEOUS

option = click.option(
    "--errors",
    type=click.Choice(list(LEVELS)),
    help=f"How they are held over ratios. Default: {SIMULTANEOUS}.",
)
