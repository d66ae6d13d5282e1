"""suite report: one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from harness.cli import completing, errors_held, known_words, per_kwh, selecting
from harness.cli.percent import PERCENT


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path), shell_complete=completing.campaigns)
@selecting.narrowing
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: report.html in the campaign.")
@click.option(
    "--reference",
    shell_complete=completing.frameworks,
    help="Compare with this framework instead of the first of the plan.",
)
@click.option("--margin", type=PERCENT, help="Smallest difference that matters. Default: 2%.")
@errors_held.option
@per_kwh.options
@click.option("--compare", "other", type=click.Path(path_type=Path), help="Compare with this campaign, too.")
@click.option(
    "--difference",
    "profiled",
    type=click.Path(path_type=Path),
    help="Hold profiled runs against those of this campaign, too: where functions differ.",
)
@click.option("--across-machines", is_flag=True, help="Compare although OTHER ran on another machine.")
@click.option("--anonymous", is_flag=True, help="Without what tells whose machine it was, and who measured.")
@click.option("--serve", is_flag=True, help="Show the report over HTTP until interrupted.")
@click.option("--host", default=known_words.LOOPBACK, show_default=True, help="Where to serve.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: a free one.")
def command(folder: Path, **asked: Any) -> int:
    """Writes the report of the campaign in FOLDER, or of a bundle that suite export made of one.

    Of a bundle it also says whether its bytes are those of the report within: exit code 1 if not.
    """
    from harness.cli import reported  # pandas, SciPy and charts: no help waits for them

    return reported.told(folder, **asked)
