"""Joules of a token over what its user waits for, and over the batch: a curve for each framework."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from harness.analysis.families import Family, levels_of
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.quantities import named
from reports.curves import curves
from reports.formats import Unit, unit_for
from reports.parts import Panel

BATCH = "predict_batch_size"
OF_PREFILL, OF_DECODE = "prefill_energy_j_per_prompt_token", "decode_energy_j_per_generated_token"
LATENCY = "output_token_s"
LATENCY_OF = {OF_DECODE: LATENCY, OF_PREFILL: "first_token_s"}


def panels(costs: pd.DataFrame, family: Family, provenance: str) -> Iterator[Panel]:
    """Of each level of the other factors: over latency, and over the batch where it varies. `costs`: TOKEN_COLUMNS."""
    others = [name for name in family.factors if name != BATCH]
    alike: dict[str, list[Group]] = {}
    for group in family.groups:
        alike.setdefault(_label(group, others), []).append(group)
    for words, groups in alike.items():
        for one, latency in LATENCY_OF.items():
            for over in (latency, BATCH):
                if over != BATCH or BATCH in family.factors:
                    yield from _panel(
                        _rows(costs, family, groups, over, one), family, (over, one), provenance, words
                    )


def _label(group: Group, factors: Sequence[str]) -> str:
    levels = levels_of(group)
    return " · ".join(f"{name.replace('_', ' ')} {levels[name]}" for name in factors if name in levels)


def _rows(costs: pd.DataFrame, family: Family, groups: Sequence[Group], over: str, one: str) -> pd.DataFrame:
    """As reports.curves takes them, where both are known."""
    parts = []
    for group in groups:
        mine, batch = group.select(costs), levels_of(group).get(BATCH, 0)
        of_one = mine[mine["quantity"] == one].rename(columns={"mean": "y"})
        at = mine[mine["quantity"] == over].set_index(TREATMENT)["mean"]
        x = float(batch) if over == BATCH else of_one[TREATMENT].map(at)
        parts.append(of_one.assign(x=x, place=float(batch), setting=family.label(group)))
    found = pd.concat(parts)[[TREATMENT, "setting", "x", "y", "low", "high", "place"]]
    return found.astype({"x": "float64"}).dropna(subset=["x", "y"])


def _panel(
    rows: pd.DataFrame, family: Family, axes: tuple[str, str], provenance: str, words: str
) -> Iterator[Panel]:
    if rows.empty:
        return
    over, one = axes[0], named(axes[1])
    cost, wait = (
        unit_for(rows["y"], one.unit),
        Unit() if over == BATCH else unit_for(rows["x"], named(over).unit),
    )
    sized = {"x": rows["x"] / wait.size, **{name: rows[name] / cost.size for name in ("y", "low", "high")}}
    against = "batch" if over == BATCH else named(over).words
    titles = {
        "x": f"{against} ({wait.symbol})" if wait.symbol else against,
        "y": f"{cost.symbol} per {one.per.replace('_', ' ')}",
    }
    names = [name for name in family.treatments if name in set(rows[TREATMENT])]
    title = f"{one.title} against {against}" + (f", {words}" if words else "")
    label = f"{title}: a mark per framework and setting, with its interval; the table below has the numbers."
    ticks = sorted(set(rows["x"])) if over == BATCH else None
    yield Panel(title, curves(rows.assign(**sized), names, titles, ticks), label, one.badge(provenance))
