"""suite reproduce: a published study, computed again from its raw files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from harness.studies.base import Reproduction


@click.command("reproduce")
@click.argument("study")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--format", "form", type=click.Choice(["text", "csv"]), default="text", show_default=True)
def command(study: str, path: Path | None, form: str) -> None:
    """Prints each published number of STUDY beside ours from the files in PATH, and what those say besides.

    Studies: icse22, sotillos23, schep25. As CSV, the cells go to standard output and the audit to standard error.
    """
    from harness import studies

    found = studies.reproduce(study, path)
    click.echo(_cells_csv(found) if form == "csv" else _text(found), nl=False)
    for remark in found.audit:
        click.echo(f"{remark.code}: {remark.message}", err=form == "csv")


def _cells_csv(found: Reproduction) -> str:
    return found.frame().to_csv(index=False, lineterminator="\n")


def _text(found: Reproduction) -> str:
    from harness.studies.base import compared

    parts = [found.title, f"Published: {found.source}.", *found.notes, found.frame().to_string(index=False)]
    return "\n\n".join([*parts, f"{compared(found.cells)}. What the files say besides:"]) + "\n"
