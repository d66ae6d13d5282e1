"""suite gate: pass, regression or inconclusive, as an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from harness.cli import ratios_asked
from harness.cli.percent import PERCENT
from harness.cli.quantity import QUANTITY
from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.analysis.quantity import Quantity


@click.command("gate")
@ratios_asked.options
@ratios_asked.form
@click.option(
    "--max-increase",
    type=PERCENT,
    required=True,
    help="What a cost may rise by, and the inverse of a gain: 5%.",
)
@click.option(
    "--quantity",
    "quantities",
    type=QUANTITY,
    multiple=True,
    default=("energy",),
    help="What is gated (repeatable). Default: energy.",
)
def command(max_increase: float, quantities: tuple[Quantity, ...], form: str, **asked: Any) -> int:
    """Says whether costs rose by more than is allowed: exit code 0 pass, 1 regression, 3 inconclusive.

    Expected is a ratio of every treatment in FOLDER's plan; within one campaign, against --reference. A ratio passes if
    its whole 95 % interval lies within the limit; where the same control work spread by as much as is allowed, it must
    lie below the limit by more than that. What failed, is missing, or has no verdict does not pass, and the reason is
    told. It regresses if all of its interval lies above, widened for all that is gated at once. One regression is
    enough for 1; all must pass for 0; else 3.
    """
    if asked["other"] is None and asked["reference"] is None:
        raise UsageError(
            "within one campaign a gate needs --reference: none is chosen from what was measured"
        )
    from harness.cli import gated  # pandas and SciPy: no help waits for them

    return gated.told(quantities, max_increase, form, **asked)
