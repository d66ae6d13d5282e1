"""Ratios and gates as Markdown, for pull requests: the outcome first, the doubts folded below."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from harness.analysis.groups import GROUP
from harness.cli import screen, summed_up
from harness.cli.ratios_told import decided, work_names
from harness.cli.sides import sides
from harness.exports.markdown import folded, plain, table


def say(
    title: str,
    rows: pd.DataFrame,
    verdicts: str,
    lines: Iterable[str],
    doubts: Iterable[str],
    among: pd.DataFrame | None = None,
) -> None:
    """`verdicts`: the column that decides; `lines`: what joules they are and how errors are held.

    `among`: all that is compared, where `rows` are a part of it.
    """
    told = rows.to_dict("records")
    named = work_names(rows if among is None else among)
    costs = [summed_up.costs(row) for row in told]
    shown = table({
        "work": [named[_key(row)] for row in told],
        "treatment": [sides(row)[0] for row in told],
        "against": [sides(row)[1] for row in told],
        "quantity": [row["quantity"] for row in told],
        "cost": [one for one, _ in costs],
        "reference": [other for _, other in costs],
        "joules": [_joules(row) for row in told],
        "ratio": [_ratio(row) for row in told],
        verdicts: [decided(row, verdicts) for row in told],
    })  # fmt: skip
    parts = [f"### {plain(title)}", shown if told else "", "\n".join(f"{plain(one)}  " for one in lines)]
    parts.append(folded("What speaks against these ratios", doubts))
    screen.echo("\n\n".join(part for part in parts if part) + "\n")


def _key(row: dict[Any, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in GROUP)


def _joules(row: dict[Any, Any]) -> str:
    """As loud as everywhere: what was not measured is in capitals."""
    provenance = _word(row.get("provenance"))
    return provenance if provenance in ("", "measured") else provenance.upper()


def _ratio(row: dict[Any, Any]) -> str:
    if pd.isna(row["ratio"]):
        return f"unknown: {_word(row['ratio_reason'])}".removesuffix(": ")
    interval = f" ({row['low']:.3f} to {row['high']:.3f})" if pd.notna(row["low"]) else ""
    return f"{row['ratio']:.3f}{interval}"


def _word(value: object) -> str:
    return "" if value is None or value != value else str(value)
