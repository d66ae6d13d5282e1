"""A word of a few: a mistyped one is told the nearest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from harness.suggest import hint


class OneOf(click.Choice[str]):
    """click's own, whose refusal ends with what the user may have meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        said = super().get_invalid_choice_message(value, ctx).removesuffix(".")
        return f"{said}{hint(str(value), self.choices)}"


def format_option(forms: Sequence[str], told: str = "Of what is told.") -> Callable[[Any], Any]:
    """--format, as `form`; the first is the default."""
    return click.option("--format", "form", type=OneOf(forms), default=forms[0], show_default=True, help=told)
