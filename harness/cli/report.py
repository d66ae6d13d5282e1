"""suite report: one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from harness import store
from harness.cli import screen
from harness.cli.percent import PERCENT
from reports.render import render

REPORT_FILE = "report.html"


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: report.html in the campaign.")
@click.option("--reference", help="Compare with this framework instead of the one with the lowest mean.")
@click.option("--margin", type=PERCENT, help="Smallest difference that matters. Default: 2%.")
def command(folder: Path, output: Path | None, reference: str | None, margin: float | None) -> None:
    """Writes the report of the campaign in FOLDER."""
    screen.say(f"report: {write_report(folder, output, reference, margin).absolute()}")


def write_report(
    folder: Path, output: Path | None = None, reference: str | None = None, margin: float | None = None
) -> Path:
    page = render(store.load_campaign(folder), reference, margin)
    path = output or folder / REPORT_FILE
    store.write_text(path, page)
    return path
