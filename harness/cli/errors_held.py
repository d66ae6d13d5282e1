"""The option that says how errors are held over the ratios of a table."""

from __future__ import annotations

import click

from harness.cli import known_words
from harness.cli.one_of import OneOf

option = click.option(
    "--errors",
    type=OneOf(known_words.ERRORS),
    help=f"How they are held over ratios. Default: {known_words.ERRORS[0]}.",
)
