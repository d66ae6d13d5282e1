"""What a person reads: plain lines and tables, by rich. Nothing here computes.

Names and reasons may be a stranger's: they are shown as plain text, which neither the terminal nor rich obeys.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from harness.files.untrusted import printable

EXIT_UNREAD = 141  # as a shell calls what SIGPIPE has ended
LOG_WIDTH = 160  # of a file, which no terminal cuts: every table fits


class Screen(Console):
    """The one way to the terminal: what a caller forgot to make plain is made so here, too."""

    def on_broken_pipe(self) -> None:
        """Of `suite ... | head`: who reads has seen enough; rich would end a gate as a regression does."""
        unread()

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            plain_already = control or text == "\n" or text.isprintable()
            yield segment if plain_already else Segment(_lines(text), style)


console = Screen(highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else LOG_WIDTH)


def unread() -> NoReturn:
    """Ends the program as SIGPIPE would, and silently: what is still buffered goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(EXIT_UNREAD)


def plain(text: object, style: str = "") -> Text:
    """One line or cell of anybody's text, as it is written: without markup, controls or lines of its own."""
    return Text(printable(text), style)


def say(line: str) -> None:
    console.print(plain(line), soft_wrap=True)


def echo(text: str, err: bool = False) -> None:
    """Whole lines for programs or of tables, which end as they are."""
    click.echo(_lines(text), err=err, nl=False)


def leave_stdout_to_machines() -> None:
    """What people read goes to standard error from now on."""
    console.stderr = True


def table(*columns: str) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(plain(column), overflow="fold")  # names are never cut
    return made


def add_row(to: Table, *cells: object) -> None:
    to.add_row(*map(plain, cells))


def print_columns(columns: Mapping[str, Sequence[str]]) -> None:
    """A table of columns of one length; those that say nothing in any row are left out."""
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    made = table(*shown)
    for row in zip(*shown.values(), strict=True):
        add_row(made, *row)
    console.print(made)


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))
