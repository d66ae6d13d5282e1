"""suite statistics: what stands behind the verdicts, by a test of your choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from harness.cli import completing, errors_held, known_words
from harness.cli.one_of import OneOf, format_option
from harness.cli.percent import PERCENT
from harness.cli.quantity import QUANTITY


@click.command("statistics")
@click.argument("folder", type=click.Path(path_type=Path), shell_complete=completing.campaigns)
@click.option("--quantity", type=QUANTITY, default="energy", show_default=True, help="What is compared.")
@click.option(
    "--test",
    type=OneOf(known_words.TESTS),
    default=known_words.TESTS[0],
    show_default=True,
    help="Of each pair.",
)
@errors_held.option
@click.option(
    "--reference",
    shell_complete=completing.frameworks,
    help="FRAMEWORK[@VERSION] that the others are held against.",
)
@click.option("--margin", type=PERCENT, help="Smallest difference that matters. Default: 2%.")
@click.option(
    "--rule",
    "rules",
    type=OneOf(known_words.RULES),
    multiple=True,
    help="Published cleaning rule: what it would mark, and the means without (repeatable).",
)
@format_option(["text", "csv"])
def command(**asked: Any) -> None:
    """Tests the treatments of the campaign in FOLDER within blocks, and all of them at once by their ranks.

    Each treatment against the reference by the test of your choice; three or more by Friedman's test, with Nemenyi's
    critical difference. Cleaning rules mark, and change no verdict: as CSV, the marked means go to standard error.
    """
    from harness.cli import tested  # pandas and SciPy: no help waits for them

    tested.tell(**asked)
