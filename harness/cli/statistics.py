"""suite statistics: what stands behind the verdicts, by a test of your choice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import completing, errors_held, known_words
from harness.cli.one_of import OneOf, format_option
from harness.cli.percent import PERCENT
from harness.cli.quantity import QUANTITY

if TYPE_CHECKING:
    from harness.analysis.quantity import Quantity


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
def command(
    folder: Path,
    quantity: Quantity,
    test: str,
    errors: str | None,
    reference: str | None,
    margin: float | None,
    rules: tuple[str, ...],
    form: str,
) -> None:
    """Tests the treatments of the campaign in FOLDER within blocks, and all of them at once by their ranks.

    Each treatment against the reference by the test of your choice; three or more by Friedman's test, with Nemenyi's
    critical difference. Cleaning rules mark, and change no verdict: as CSV, the marked means go to standard error.
    """
    from harness import store  # all of these load pandas or SciPy: no help waits
    from harness.analysis.block_ranks import block_ranks
    from harness.analysis.cleaning import clean
    from harness.analysis.groups import GROUP, TREATMENT
    from harness.analysis.statistics import statistics
    from harness.analysis.summary import analyse
    from harness.analysis.withheld import reasons, without_ratios
    from harness.cli import provenance_told, screen, statistics_told
    from harness.errors import UsageError
    from harness.exports.csv_text import as_text

    campaign = store.load_campaign(folder)
    found = analyse(campaign, reference, margin, errors)
    if all(len(group.treatments) < 2 for group in found.groups):
        raise UsageError("nothing to test: the campaign holds one treatment of each work")
    counted, wanted = found.counted, quantity.name
    if wanted not in counted:
        raise UsageError(f"no run of the campaign tells {wanted}")
    table = statistics(
        counted,
        without_ratios(found.costs),
        found.groups,
        found.margin,
        test,
        found.errors,
        adaptive=found.adaptive,
    )
    rows = table[table["quantity"] == wanted]
    if form == "csv":
        screen.echo(as_text(rows))
    else:
        told = found.costs[found.costs["quantity"] == wanted]
        sound = tuple(group for group in found.groups if not reasons(group.select(told)))
        ranks = block_ranks(counted, sound, quantity)
        statistics_told.print_statistics(rows, found, list(ranks))
        provenance_told.say([campaign])
    for rule in rules:
        cleaned = clean(counted, wanted, [rule], [*GROUP, TREATMENT])
        statistics_told.print_rule(rule, cleaned, err=form == "csv")
