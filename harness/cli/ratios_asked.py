"""The options of `suite compare` and `suite gate`: which ratios are asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from harness.cli import completing, errors_held, known_words, selecting
from harness.cli.one_of import format_option
from harness.cli.percent import PERCENT

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.argument("folder", type=click.Path(path_type=Path), shell_complete=completing.campaigns),
    click.argument(
        "other", type=click.Path(path_type=Path), required=False, shell_complete=completing.campaigns
    ),
    click.option(
        "--reference",
        shell_complete=completing.frameworks,
        help="FRAMEWORK[@VERSION] that the others are held against.",
    ),
    click.option(
        "--candidate",
        shell_complete=completing.frameworks,
        help="Only this FRAMEWORK[@VERSION]; default: all.",
    ),
    click.option("--margin", type=PERCENT, help="Smallest difference that matters. Default: 2%."),
    click.option(
        "--old-session",
        "old_sessions",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="FOLDER",
        help="Another campaign of what FOLDER measured (repeatable).",
    ),
    click.option(
        "--new-session",
        "new_sessions",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="FOLDER",
        help="Another campaign of what OTHER measured (repeatable).",
    ),
    click.option("--across-machines", is_flag=True, help="Compare although OTHER ran on another machine."),
    errors_held.option,
)


form = format_option(known_words.RATIOS, "markdown: for a pull request.")


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options that ask for ratios."""
    command = selecting.narrowing(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
