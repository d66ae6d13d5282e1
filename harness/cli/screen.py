"""Where a person reads: plain lines and tables, by rich. Nothing here computes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

LOG_WIDTH = 160  # of a file, which no terminal cuts: every table fits
console = Console(
    highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else LOG_WIDTH
)


def say(line: str) -> None:
    console.print(escape(line), soft_wrap=True)


def leave_stdout_to_machines() -> None:
    """What people read goes to standard error from now on."""
    console.stderr = True


def table(*columns: str) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")  # names are never cut
    return made


def print_columns(columns: Mapping[str, Sequence[str]]) -> None:
    """A table of columns of one length; those that say nothing in any row are left out."""
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    made = table(*shown)
    for row in zip(*shown.values(), strict=True):
        made.add_row(*row)
    console.print(made)
