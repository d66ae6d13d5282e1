"""Tests, ranks and cleaning rules, as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from rich.padding import Padding

from harness.analysis.block_ranks import BlockRanks
from harness.analysis.cleaning import EXCLUDED_BY, Cleaned
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.multiplicity import ALL_LOOKS, WORDS
from harness.analysis.ranks import CriticalDifference
from harness.analysis.summary import Analysis
from harness.cli import screen
from reports.formats import listed, plural, probability

CHANCE = ""
NUMBERS = {
    "blocks": ("blocks", ".0f"),
    "statistic": ("statistic", ".3f"),
    "p": ("p", CHANCE),
    "p_corrected": ("corrected", CHANCE),
    "smallest_p": ("smallest p", ".2g"),
    "tost_p": ("p of equivalence", CHANCE),
    "a12": ("A12", ".2f"),
    "lag1_differences": ("lag 1", "+.2f"),
}


def print_statistics(rows: pd.DataFrame, analysis: Analysis, ranks: Sequence[BlockRanks]) -> None:
    """A table for each group of the statistics of one quantity, and its ranks below."""
    for group in analysis.groups:
        inside, unknown = group.select(rows), _unknown(group, rows, analysis)
        if inside["blocks"].isna().all():
            screen.say(
                f"{group.title}: nothing to test: {'; '.join([*unknown, *_no_ratio(inside)]) or 'one treatment'}"
            )
            continue
        tests = listed(dict.fromkeys(inside["test"].dropna())) or "no test"
        screen.say(f"{group.title}: {listed(dict.fromkeys(inside['quantity']))}, {tests}")
        made = screen.table("against", *(title for title, _ in NUMBERS.values()), "reason")
        for row in inside[inside[TREATMENT] != inside["reference"]].to_dict("records"):
            numbers = (_number(row[name], form) for name, (_, form) in NUMBERS.items())
            screen.add_row(made, f"{row[TREATMENT]} / {row['reference']}", *numbers, _reason(row))
        screen.console.print(Padding(made, (0, 0, 0, 2), expand=False))
        for why in unknown:
            screen.say(f"  {why}")
        for one in ranks:
            if one.group == group:
                _print_ranks(one)
        screen.say("")
    if rows["blocks"].notna().any():
        screen.say(WORDS[ALL_LOOKS if analysis.adaptive else analysis.errors])


def _unknown(group: Group, rows: pd.DataFrame, analysis: Analysis) -> list[str]:
    """Treatments of which nothing is known, each with the reason."""
    wanted = set(rows["quantity"])
    costs = group.select(analysis.costs)
    lacking = costs[costs["quantity"].isin(wanted) & costs["mean"].isna()]
    return [f"{row[TREATMENT]}: {row['reason']}" for row in lacking.to_dict("records")]


def _no_ratio(inside: pd.DataFrame) -> list[str]:
    """Why no treatment has a test, each reason once."""
    compared = inside[inside[TREATMENT] != inside["reference"]]
    return [reason for reason in dict.fromkeys(compared["reason"]) if isinstance(reason, str) and reason]


def _reason(row: dict[Any, Any]) -> str:
    return row["reason"] if isinstance(row["reason"], str) else ""


def _number(value: Any, form: str) -> str:
    if pd.isna(value):
        return ""
    return probability(value) if form == CHANCE else f"{value:{form}}"


def _print_ranks(one: BlockRanks) -> None:
    p, critical = one.friedman.p, one.critical
    said = "all alike" if p is None else f"p = {probability(p)}"
    screen.say(f"  Friedman over {plural(one.blocks, 'block')} and {len(critical.ranks)} treatments: {said}")
    ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in critical.ranks.items())
    screen.say(
        f"  mean ranks: {ranks}; {critical.difference:.2f} apart differ (Nemenyi, 5 %){_too_few(critical)}"
    )
    for names in critical.cliques:
        screen.say(f"  not told apart by their ranks: {listed(names)}")


def _too_few(critical: CriticalDifference) -> str:
    """Mean ranks lie between 1 and the number of treatments."""
    return ", which so few blocks cannot show" if critical.difference > len(critical.ranks) - 1 else ""


def print_rule(rule: str, cleaned: Cleaned, err: bool) -> None:
    """What a cleaning rule marks, and the means with and without: nothing is deleted."""
    marked = cleaned.marked[cleaned.marked[EXCLUDED_BY] != ""]
    screen.echo(f"{rule} marks {len(marked)} of {plural(len(cleaned.marked), 'run')}\n", err)
    keys = [*GROUP, TREATMENT]
    for key, change in cleaned.change.groupby(keys, sort=False):
        before, after = change.iloc[0], change.iloc[-1]
        if before["n"] != after["n"]:
            means = f"{before['geometric_mean']:.4g} -> {after['geometric_mean']:.4g}"
            screen.echo(
                f"  {key[-1]}, {key[0]} {key[2]}: geometric mean {means}, {before['n']:.0f} -> {after['n']:.0f} runs\n",
                err,
            )
