"""Quantities on the command line: energy, or the name of a column, stage_energy_j_per_sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from harness.cli import known_words
from harness.suggest import unknown

if TYPE_CHECKING:  # the registry loads pandas, for which no help waits
    from harness.analysis.quantity import Quantity


class QuantityName(click.ParamType["Quantity"]):
    """Gives a row of the registry that is judged."""

    name = "quantity"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"[{'|'.join(known_words.QUANTITIES)}|COLUMN]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Quantity:
        if not isinstance(value, str) or (
            ctx and ctx.resilient_parsing
        ):  # where a shell completes, nobody asks
            given: Quantity = value
            return given
        from harness.analysis.quantities import as_users_say, named

        try:
            found = as_users_say().get(value) or named(value)
        except KeyError:
            self.fail(unknown("quantity", value, as_users_say()), param, ctx)
        if not found.judged:
            self.fail(f"{value} is not judged: of it neither more nor less is better", param, ctx)
        return found


QUANTITY = QuantityName()
