"""Ratios of costs, as a person reads them in a terminal."""

from __future__ import annotations

from typing import Any

import pandas as pd
from rich.padding import Padding

from harness.analysis.groups import GROUP, TREATMENT, Group, distinctions
from harness.analysis.withheld import reasons
from harness.cli import screen


def print_ratios(rows: pd.DataFrame) -> None:
    """Rows as harness.cli.comparing gives them: a heading for each pair of treatments, and a line a quantity."""
    for group, own in distinctions(_groups(rows), always=("dataset",)).items():
        for key, pair in group.select(rows).groupby([TREATMENT, "reference"], sort=False):
            screen.say("{} {} {}: {} against {}".format(group.workload, group.stage, own, *key))
            table = screen.table("quantity", "ratio", "95 % interval", "blocks", "verdict")
            for row in pair.to_dict("records"):
                screen.add_row(table, row["quantity"], *_ratio_words(row), _verdict(row))
            screen.console.print(Padding(table, (0, 0, 1 - bool(reasons(pair)), 2), expand=False))
            for why in reasons(pair):
                screen.say(f"  no verdict: {why}")


def _groups(rows: pd.DataFrame) -> list[Group]:
    keys = rows[GROUP].drop_duplicates().to_dict("records")
    return [Group(**{str(name): str(value) for name, value in key.items()}, treatments=()) for key in keys]


def _ratio_words(row: dict[Any, Any]) -> tuple[str, str, str]:
    if pd.isna(row["ratio"]):
        return "unknown", _why(row["ratio_reason"]), ""
    known = pd.notna(row["low"])
    interval = f"{row['low']:.3f} to {row['high']:.3f}" if known else "too few blocks"
    return f"{row['ratio']:.3f}", interval, f"{row['blocks']:.0f}"


def _verdict(row: dict[Any, Any]) -> str:
    """Or that it is withheld, whose reasons follow below the table."""
    if pd.notna(row["verdict"]):
        return str(row["verdict"])
    return "no verdict" if pd.notna(row["ratio"]) else ""


def _why(reason: Any) -> str:
    return str(reason) if pd.notna(reason) and reason else "not recorded"
