"""suite reproduce: a published study, computed again from its raw files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import screen
from harness.cli.one_of import format_option

if TYPE_CHECKING:
    from harness.studies.base import PrintedCell, Reproduction


@click.command("reproduce")
@click.argument("study")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@format_option(["text", "csv"])
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    help="Printed values that are not at hand: the CSV of this command with its column filled in.",
)
def command(study: str, path: Path | None, form: str, published: Path | None) -> None:
    """Prints each published number of STUDY beside ours from the files in PATH, and what those say besides.

    Studies: icse22, sotillos23, schep25, deepgreen25, smc_mlperf_training40.

    As CSV, the cells go to standard output and the audit to standard error.
    """
    from harness import studies
    from harness.studies.supplied import with_printed

    found = studies.reproduce(study, path)
    if published is not None:
        found = with_printed(found, published)
    screen.echo(_cells_csv(found) if form == "csv" else _text(found))
    for remark in found.audit:
        screen.echo(f"{remark.code}: {remark.message}\n", err=form == "csv")


def _cells_csv(found: Reproduction) -> str:
    from harness.exports.csv_text import as_text

    return as_text(found.frame())


def _text(found: Reproduction) -> str:
    from harness.studies.base import compared

    parts = [found.title, f"Published: {found.source}.", *found.notes, "\n".join(_lines(found.cells))]
    return "\n\n".join([*parts, f"{compared(found.cells)}. What the files say besides:"]) + "\n"


def _lines(cells: Sequence[PrintedCell]) -> Iterator[str]:
    """A heading for each row of a table, and a line for each of its cells."""
    width = max((len(one.column) for one in cells), default=0)
    published = max([len("published"), *(len(one.printed) for one in cells)])
    yield f"{'':2}{'':{width}}  {'published':>{published}}  {'ours':>12}"
    for (table, row), columns in groupby(cells, key=lambda one: (one.table, one.row)):
        yield f"{table} · {row}"
        for one in columns:
            numbers = f"{one.printed:>{published}}  {_number(one.ours):>12}"
            yield f"{'':2}{one.column:{width}}  {numbers}  {one.unit:4} {one.match}{one.rule and f', {one.rule}'}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.9g}"
