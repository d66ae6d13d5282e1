"""suite export: the figures for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from harness import store
from harness.cli import screen
from harness.export import runs_csv

RUNS_CSV = "runs.csv"


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["csv"]), default="csv", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder; default: the campaign's.")
def command(folder: Path, form: str, output: Path | None) -> None:
    """Writes runs.csv of the campaign in FOLDER: one row per run, units in the column names."""
    text = runs_csv(store.load_campaign(folder))
    place = output or folder
    place.mkdir(parents=True, exist_ok=True)
    store.write_text(place / RUNS_CSV, text)
    screen.say(str((place / RUNS_CSV).absolute()))
