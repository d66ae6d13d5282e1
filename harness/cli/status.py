"""suite status: how far a campaign is."""

from __future__ import annotations

from pathlib import Path

import click

from harness import store
from harness.cli import screen


@click.command("status")
@click.argument("folder", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Says how many runs of the campaign in FOLDER are done, and what became of them."""
    screen.print_status(store.load_campaign(folder), store.is_under_way(folder))
