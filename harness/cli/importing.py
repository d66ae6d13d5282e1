"""suite import: what other tools measured, as a campaign."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import screen


@click.command("import")
@click.argument("form", metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The campaign's new folder."
)
@click.option("--workload", help="Where the files do not say.")
@click.option("--framework", help="Where the files do not say.")
@click.option("--version", help="The framework's, where the files do not say.")
@click.option("--stage", help="train or infer, where the files do not say.")
@click.option("--dataset", help="Where the files do not say.")
def command(form: str, path: Path, output: Path, **said: str | None) -> None:
    """Writes a campaign of what PATH holds in FORMAT, whole or not at all.

    Formats: prengdl, sotillos, energibridge, nvidia-smi, perf-stat, codecarbon,
    mlperf-training, mlperf-inference, mlperf-tiny.
    """
    from harness import importers

    known = {name: value for name, value in said.items() if value is not None}
    folder = importers.import_campaign(form, path, output, known)
    screen.say(f"campaign: {folder.absolute()}")
