"""What `suite compare` says, in each of its formats."""

from __future__ import annotations

from typing import Any

import click
import pandas as pd

from harness.analysis.multiplicity import WORDS
from harness.analysis.touching import Touching
from harness.cli import (
    calibration_told,
    comparing,
    costs_beside,
    markdown_told,
    provenance_told,
    ratios_told,
    screen,
    settled_told,
    summed_up,
    uncounted,
)
from harness.cli.comparing import Compared
from harness.cli.sides import with_campaigns
from harness.exports.counts import counted
from harness.exports.csv_text import as_text


def told(form: str, **asked: Any) -> None:
    """`asked`: harness.cli.ratios_asked. Raises: UsageError where nothing is to be compared."""
    found = comparing.some(**asked)
    resolved = calibration_told.CalibrationTold.of(found.campaigns)
    touching = Touching.of((*found.new, *found.old))
    rows = with_campaigns(touching.noted(resolved.noted(found.rows)), found.new, found.old)
    if form == "text":
        _print(found, rows, resolved, touching)
    elif form == "markdown":
        lines = [
            *provenance_told.lines(found.campaigns),
            *(WORDS[one] for one in rows["errors"].dropna().unique()),
            *_quotients(found),
        ]
        shown, without = uncounted.apart(rows)
        doubts = (
            *ratios_told.without_verdict(rows),
            *touching.lines(rows),
            *resolved.lines(rows),
            *settled_told.lines(found, rows),
            *uncounted.lines(without, rows),
        )
        title = f"suite compare: {summed_up.in_one_line(rows)}"
        markdown_told.say(title, shown, "verdict", lines, doubts, among=rows)
    elif form == "csv":
        screen.echo(as_text(counted(rows)))
    else:
        click.echo(counted(rows).to_json(orient="records", indent=1))


def _print(
    found: Compared, rows: pd.DataFrame, resolved: calibration_told.CalibrationTold, touching: Touching
) -> None:
    shown, without = uncounted.apart(rows)
    ratios_told.print_ratios(shown, among=rows)
    for line in (*_quotients(found), *uncounted.lines(without, rows)):
        screen.say(line)
    ratios_told.print_cheapest(
        [] if found.old else [found.narrowing.rows(s.analysis.costs) for s in found.new]
    )
    resolved.say(rows)
    for line in (*touching.lines(rows), *provenance_told.lines(found.campaigns)):
        screen.say(line)
    for line in settled_told.lines(found, rows):
        screen.say(line)
    screen.say(summed_up.in_one_line(rows))


def _quotients(found: Compared) -> list[str]:
    """Between campaigns everybody expects other ratios than those of the costs."""
    return [] if found.old else costs_beside.quotients(found.rows)
