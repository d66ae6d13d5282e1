"""What a campaign found, and ratios, as a person reads them in a terminal."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
from rich.markup import escape
from rich.padding import Padding

from harness.analysis.compare import geometric_mean
from harness.analysis.tables import measured, tables
from harness.cli import screen
from harness.store import Campaign
from reports.formats import plural


def print_summary(campaign: Campaign) -> None:
    """Geometric means of the runs that count."""
    runs = tables(campaign).runs
    counted = measured(runs)
    table = screen.table("workload", "stage", "framework", "version", "runs", "energy", "time", "quality")
    for key, group in counted.groupby(["workload", "stage", "framework", "version"]):
        assert isinstance(key, tuple)
        energy, duration_s = geometric_mean(group["energy_j"]), geometric_mean(group["duration_s"])
        provenance = group["provenance"].iloc[0]
        words = "unknown" if energy is None else f"{energy:.4g} J {provenance}"
        table.add_row(*map(str, key), str(len(group)), words, _number(duration_s, "s"), _quality(group))
    screen.console.print(table)
    lost = Counter(runs[runs["purpose"] == "measure"]["outcome"]) - Counter({"ok": len(counted)})
    for outcome, count in lost.items():
        screen.say(f"{plural(count, 'run')} {outcome}: see the report")
    if campaign.record.plan.until:
        screen.say(_how_it_stopped(campaign))


def _how_it_stopped(campaign: Campaign) -> str:
    most = campaign.record.plan.repetitions
    if campaign.stop is None:
        return f"all {most} blocks were used; what is still inconclusive stands in the report"
    return f"stopped after {campaign.stop.blocks} of at most {most} blocks: every ratio is known"


def print_ratios(rows: pd.DataFrame) -> None:
    """Rows as harness.cli.comparing gives them: a heading for each pair of treatments, and a line a quantity."""
    for key, pair in rows.groupby(["workload", "stage", "dataset", "treatment", "reference"], sort=False):
        assert isinstance(key, tuple)
        screen.say("{} {} {}: {} against {}".format(*key))
        table = screen.table("quantity", "ratio", "95 % interval", "blocks", "verdict")
        for row in pair.to_dict("records"):
            table.add_row(str(row["quantity"]), *_ratio_words(row), _or_nothing(row["verdict"]))
        screen.console.print(Padding(table, (0, 0, 1, 2)))


def _ratio_words(row: dict[Any, Any]) -> tuple[str, str, str]:
    if pd.isna(row["ratio"]):
        return "unknown", escape(_why(row["ratio_reason"])), ""
    known = pd.notna(row["low"])
    interval = f"{row['low']:.3f} to {row['high']:.3f}" if known else "too few blocks"
    return f"{row['ratio']:.3f}", interval, f"{row['blocks']:.0f}"


def _or_nothing(value: Any) -> str:
    return str(value) if pd.notna(value) else ""


def _why(reason: Any) -> str:
    return str(reason) if pd.notna(reason) and reason else "not recorded"


def _number(value: float | None, unit: str) -> str:
    return "unknown" if value is None else f"{value:.3g} {unit}"


def _quality(group: pd.DataFrame) -> str:
    known = group["quality"].dropna()
    return "unknown" if known.empty else f"{group['quality_metric'].iloc[0]} {known.mean():.4f}"
