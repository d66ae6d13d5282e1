"""suite export: a campaign for papers, spreadsheets, notebooks and other people's machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from harness.cli import completing, errors_held, known_words, per_kwh, selecting
from harness.cli.one_of import format_option
from harness.cli.percent import PERCENT


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path), shell_complete=completing.campaigns)
@format_option(known_words.EXPORTS, "Of the files; see above.")
@selecting.narrowing
@click.option("-o", "--output", type=click.Path(), help="Folder for the files, or for a bundle a URL.")
@click.option(
    "--reference",
    shell_complete=completing.frameworks,
    help="Ratios to this framework instead of the first of the plan.",
)
@click.option("--margin", type=PERCENT, help="Smallest difference that matters. Default: 2%.")
@errors_held.option
@per_kwh.options
@click.option("--anonymous", is_flag=True, help="Without what tells whose machine it was, and who measured.")
def command(**asked: Any) -> None:
    """Writes the campaign in FOLDER for other programs.

    csv, parquet, json: tables of runs, phases, epochs and costs, into the campaign. dataset: the same as Parquet in a
    part for each campaign and node, so that with one -o the tables of many campaigns are one for DuckDB and the like.
    latex: the tables of costs. svg, png, pdf: every figure of the report, into figures/. methods: a text for a paper,
    with BibTeX. folded, speedscope: joules by stack of each profiled run, for flame graph programs. bundle: one
    checksummed file beside the campaign, from which suite report makes the same report again. With -o URL
    (s3://BUCKET/FOLDER), a bundle goes into a store that others share, where nothing is written over; suite merge
    takes it from there.
    """
    from harness.cli import exported, screen  # pandas, SciPy and charts: no help waits for them

    for path in exported.written(**asked):
        screen.say(path)
