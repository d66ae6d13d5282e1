"""suite compare: treatments of one campaign, or of two."""

from __future__ import annotations

from typing import Any

import click

from harness.cli import ratios_asked
from harness.cli.one_of import OneOf


@click.command("compare")
@ratios_asked.options
@click.option("--format", "form", type=OneOf(["text", "csv", "json"]), default="text", show_default=True)
def command(form: str, **asked: Any) -> None:
    """Holds the treatments of the campaign in FOLDER against its reference, or those of OTHER against FOLDER's.

    Ratios of geometric means, with 95 % intervals: paired within blocks in one campaign; between two, relative to
    what is unchanged in both, or over several sessions of each side.
    """
    from harness.cli import (  # pandas and SciPy: no help waits
        calibration_told,
        comparing,
        provenance_told,
        ratios_told,
        screen,
    )
    from harness.exports.csv_text import as_text

    found = comparing.some(**asked)
    resolved = calibration_told.CalibrationTold.of(found.campaigns)
    rows = resolved.noted(found.rows)
    if form == "text":
        ratios_told.print_ratios(rows)
        ratios_told.print_cheapest([] if found.old else [side.analysis.costs for side in found.new])
        resolved.say(rows)
        provenance_told.say(found.campaigns)
    elif form == "csv":
        screen.echo(as_text(rows))
    else:
        click.echo(rows.to_json(orient="records", indent=1))
