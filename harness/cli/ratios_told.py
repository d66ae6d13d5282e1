"""Ratios of costs, as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
from rich.padding import Padding

from harness.analysis.groups import GROUP, TREATMENT, Group, distinctions
from harness.analysis.multiplicity import WORDS
from harness.analysis.quantities import leads
from harness.analysis.replicates import BLOCKS, SINGLE
from harness.analysis.withheld import reasons, withholds
from harness.cli import screen, summed_up
from harness.cli.sides import sides
from reports.formats import listed


def print_ratios(rows: pd.DataFrame, among: pd.DataFrame | None = None, verdicts: str = "verdict") -> None:
    """Rows as harness.cli.comparing gives them: a heading for each pair of treatments, and a line a quantity.

    `among`: all that is compared, where `rows` are a part of it. `verdicts`: the column that decides.
    """
    for group, own in works(rows if among is None else among).items():
        for _, pair in group.select(rows).groupby([TREATMENT, "reference"], sort=False):
            joules = f" (joules {loud})" if (loud := summed_up.shouted(pair)) else ""
            name, other = sides(pair.iloc[0].to_dict())
            screen.say(f"{group.workload} {group.stage} {own}: {name} against {other}{joules}")
            costs = [summed_up.costs(row) for row in pair.to_dict("records")]
            beside = ("cost", "reference") if any(map(any, costs)) else ()
            table = screen.table("quantity", *beside, "ratio", "95 % interval", _over(pair), verdicts)
            for row, told in zip(pair.to_dict("records"), costs, strict=True):
                cells = told if beside else ()
                screen.add_row(table, row["quantity"], *cells, *_ratio_words(row), decided(row, verdicts))
            screen.console.print(Padding(table, (0, 0, 1 - bool(reasons(pair)), 2), expand=False))
            for line in (*_rests_on(pair), *(f"no verdict: {why}" for why in reasons(pair))):
                screen.say(f"  {line}")
    for name in rows["errors"].dropna().unique():
        screen.say(WORDS[name])


def without_verdict(rows: pd.DataFrame) -> Iterator[str]:
    """Why verdicts are withheld, each reason once, with the works."""
    named = work_names(rows)
    for reason in reasons(rows):
        mine = rows.loc[rows["ratio_reason"] == reason, GROUP].drop_duplicates().astype(str)
        yield f"no verdict: {listed(named[key] for key in mine.itertuples(index=False, name=None))}: {reason}"


def print_cheapest(several: Iterable[pd.DataFrame]) -> None:
    """Of costs (COST_COLUMNS): which treatments may cost least, where that was asked and is known."""
    names = [lead.name for lead in leads()]
    for costs in several:
        known = costs[costs["may_be_cheapest"].notna() & costs["quantity"].isin(names)]
        named = work_names(costs)
        for key, rows in known.groupby([*GROUP, "quantity"], sort=False):
            may = list(rows.loc[rows["may_be_cheapest"].astype(bool), TREATMENT])
            if len(rows) > 2 or len(may) == 1:
                said = "costs least" if len(may) == 1 else "may cost least"
                where = f"{key[-1]} of {named[tuple(map(str, key[:-1]))]}"
                screen.say(f"{where}: {listed(may)} {said} (one-sided, against the best of the others, 95 %)")


def _over(pair: pd.DataFrame) -> str:
    """What the intervals are over: blocks, but for merged campaigns."""
    return next(iter(pair["over"].dropna()), BLOCKS) if "over" in pair else BLOCKS


def _rests_on(pair: pd.DataFrame) -> Iterator[str]:
    """Verdicts that would be others without one of these blocks."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in pair.to_dict("records"):
        blocks = row["rests_on"].split() if isinstance(row["rests_on"], str) else []
        if blocks:
            one = SINGLE[_over(pair)]
            of = f"{one} {listed(blocks, 'or')}" if len(blocks) < row["blocks"] else f"any {one}"
            found.setdefault((row["verdict"], of), []).append(row["quantity"])
    for (verdict, of), quantities in found.items():
        yield f"no longer {verdict} in {listed(quantities)} if {of} is left out"


def work_names(rows: pd.DataFrame) -> dict[tuple[str, ...], str]:
    """By GROUP's values what each work is called: "mnist_cnn train digits, batch_size 32"."""
    return {
        tuple(one.key.values()): f"{one.workload} {one.stage} {own}".strip()
        for one, own in works(rows).items()
    }


def works(rows: pd.DataFrame) -> dict[Group, str]:
    """Each work, with what sets it apart from the others in these rows: its data set, and what else it needs."""
    keys = rows[GROUP].drop_duplicates().to_dict("records")
    found = [Group(**{str(name): str(value) for name, value in key.items()}, treatments=()) for key in keys]
    return distinctions(found, always=("dataset",))


def _ratio_words(row: dict[Any, Any]) -> tuple[str, str, str]:
    if pd.isna(row["ratio"]):
        return "unknown", _why(row["ratio_reason"]), ""
    known = pd.notna(row["low"])
    interval = f"{row['low']:.3f} to {row['high']:.3f}" if known else _no_interval(row)
    return f"{row['ratio']:.3f}", interval, f"{row['blocks']:.0f}"


def _no_interval(row: dict[Any, Any]) -> str:
    reason = row["ratio_reason"]
    if isinstance(reason, str) and reason and not withholds(reason):
        return reason
    return "none" if row["blocks"] > 1 else "too few blocks"


def decided(row: dict[Any, Any], verdicts: str) -> str:
    """A row's verdict or outcome, or that the verdict is withheld, for reasons that are told below."""
    if pd.notna(row[verdicts]):
        return str(row[verdicts])
    return "no verdict" if pd.notna(row["ratio"]) else ""


def _why(reason: Any) -> str:
    return str(reason) if pd.notna(reason) and reason else "not recorded"
