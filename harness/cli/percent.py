"""Shares on the command line: 3% or 0.03."""

from __future__ import annotations

from typing import Any

import click


class Percent(click.ParamType[float]):
    """Gives the share as a float between 0 and 1, both excluded."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        try:
            share = float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
        except ValueError:
            share = float("nan")
        if not 0 < share < 1:
            self.fail(f"'{value}' is no share between 0 and 1; write it as 3% or 0.03", param, ctx)
        return share


PERCENT = Percent()
