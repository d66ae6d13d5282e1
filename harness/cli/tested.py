"""What `suite statistics` does: tests the treatments of a campaign, and tells it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from harness import store
from harness.analysis.block_ranks import block_ranks
from harness.analysis.cleaning import clean
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.quantity import Quantity
from harness.analysis.statistics import statistics
from harness.analysis.summary import Analysis, analyse
from harness.analysis.withheld import reasons, without_ratios
from harness.cli import provenance_told, screen, statistics_told
from harness.errors import UsageError
from harness.exports.counts import counted
from harness.exports.csv_text import as_text


def tell(
    folder: Path,
    form: str,
    quantity: Quantity,
    test: str,
    rules: Sequence[str],
    reference: str | None,
    margin: float | None,
    errors: str | None,
) -> None:
    """Raises: UsageError where there is nothing to test, and as analyse."""
    campaign = store.load_campaign(folder)
    found = analyse(campaign, reference, margin, errors)
    _require_several(found, quantity)
    rows = _tests(found, quantity, test)
    if form == "csv":
        screen.echo(as_text(counted(rows)))
    else:
        ranks = block_ranks(found.counted, _sound(found, quantity), quantity)
        statistics_told.print_statistics(rows, found, list(ranks))
        provenance_told.say([campaign])
    for rule in rules:
        cleaned = clean(found.counted, quantity.name, [rule], [*GROUP, TREATMENT])
        statistics_told.print_rule(rule, cleaned, err=form == "csv")


def _require_several(found: Analysis, quantity: Quantity) -> None:
    if all(len(group.treatments) < 2 for group in found.groups):
        raise UsageError("nothing to test: the campaign holds one treatment of each work")
    if quantity.name not in found.counted:
        raise UsageError(f"no run of the campaign tells {quantity.name}")


def _tests(found: Analysis, quantity: Quantity, test: str) -> pd.DataFrame:
    """STATISTICS_COLUMNS of the quantity, without the verdicts that a finding withholds."""
    costs = without_ratios(found.costs)
    table = statistics(
        found.counted, costs, found.groups, found.margin, test, found.errors, adaptive=found.adaptive
    )
    return table[table["quantity"] == quantity.name]


def _sound(found: Analysis, quantity: Quantity) -> tuple[Group, ...]:
    """The works of which no verdict is withheld."""
    told = found.costs[found.costs["quantity"] == quantity.name]
    return tuple(group for group in found.groups if not reasons(group.select(told)))
