"""suite gate: pass, regression or inconclusive, as an exit code."""

from __future__ import annotations

from typing import Any

import click

from harness.analysis import limits
from harness.cli import comparing, ratios_told, screen
from harness.cli.percent import PERCENT

EXIT_CODES = {limits.Outcome.PASS: 0, limits.Outcome.REGRESSION: 1, limits.Outcome.INCONCLUSIVE: 3}


@click.command("gate")
@comparing.options
@click.option("--max-increase", type=PERCENT, required=True, help="What a cost may rise by: 5%.")
@click.option(
    "--quantity",
    "quantities",
    type=click.Choice(list(comparing.SHORT)),
    multiple=True,
    default=("energy",),
    help="What is gated (repeatable). Default: energy.",
)
def command(max_increase: float, quantities: tuple[str, ...], **asked: Any) -> int:
    """Says whether costs rose by more than is allowed: exit code 0 pass, 1 regression, 3 inconclusive.

    A ratio passes if its whole 95 % interval lies within the limit, and regresses if all of it lies above. One
    regression is enough for 1; a ratio that is not known well enough makes it 3: run more blocks.
    """
    rows = comparing.ratios(**asked)
    rows = rows[rows["quantity"].isin([comparing.SHORT[name] for name in quantities])]
    outcomes = limits.judge(rows, max_increase)
    ratios_told.print_ratios(rows.assign(verdict=outcomes))
    outcome = limits.overall(outcomes)
    screen.say(f"{outcome}: {', '.join(quantities)} may rise by {100 * max_increase:g}%")
    return EXIT_CODES[outcome]
