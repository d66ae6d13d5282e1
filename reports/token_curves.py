"""Joules of a token or a request over what its user waits for, and over batch or load: a curve for each framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from harness.analysis.families import Family, levels_of
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.quantities import named
from harness.analysis.summary import Analysis
from reports.curves import curves
from reports.formats import Unit
from reports.parts import Panel
from reports.units import unit_of
from reports.wording import badge_of_all

BATCH, ARRIVALS = "predict_batch_size", "arrivals_per_step"
IN_WORDS = {BATCH: "batch", ARRIVALS: "arrivals per step"}


@dataclass(frozen=True)
class Curves:
    """`factor`: by whose levels a framework's marks are joined; `over`: of each cost, what it lies over besides."""

    factor: str
    over: Mapping[str, Sequence[str]]


OF_TOKENS = Curves(
    BATCH,
    {
        "decode_energy_j_per_generated_token": ("output_token_s",),
        "prefill_energy_j_per_prompt_token": ("first_token_s",),
    },
)
OF_REQUESTS = Curves(ARRIVALS, {"energy_j_per_request": ("request_s", "request_p95_s")})


def panels(analysis: Analysis, costs: pd.DataFrame, family: Family, asked: Curves) -> Iterator[Panel]:
    """Of each level of the other factors: over latency, and over the factor where it varies. `costs`: TOKEN_COLUMNS."""
    provenance = badge_of_all(family.select(analysis.counted))
    others = [name for name in family.factors if name != asked.factor]
    alike: dict[str, list[Group]] = {}
    for group in family.groups:
        alike.setdefault(_label(group, others), []).append(group)
    for words, groups in alike.items():
        varied = [asked.factor] if asked.factor in family.factors else []
        for one, latencies in asked.over.items():
            for over in (*latencies, *varied):
                rows = _rows(costs, family, groups, (over, one, asked.factor))
                units = (
                    Unit() if over in IN_WORDS else unit_of(analysis, named(over)),
                    unit_of(analysis, named(one)),
                )
                yield from _panel(rows, family, (over, one), units, provenance, words)


def _label(group: Group, factors: Sequence[str]) -> str:
    levels = levels_of(group)
    return " · ".join(f"{name.replace('_', ' ')} {levels[name]}" for name in factors if name in levels)


def _rows(
    costs: pd.DataFrame, family: Family, groups: Sequence[Group], axes: tuple[str, str, str]
) -> pd.DataFrame:
    """As reports.curves takes them, where both are known; `axes`: x, y, and what joins them."""
    over, one, factor = axes
    parts = []
    for group in groups:
        mine, level = group.select(costs), float(levels_of(group).get(factor, 0))
        of_one = mine[mine["quantity"] == one].rename(columns={"mean": "y"})
        at = mine[mine["quantity"] == over].set_index(TREATMENT)["mean"]
        x = level if over == factor else of_one[TREATMENT].map(at)
        parts.append(of_one.assign(x=x, place=level, setting=family.label(group)))
    found = pd.concat(parts)[[TREATMENT, "setting", "x", "y", "low", "high", "place"]]
    return found.astype({"x": "float64"}).dropna(subset=["x", "y"])


def _panel(
    rows: pd.DataFrame,
    family: Family,
    axes: tuple[str, str],
    units: tuple[Unit, Unit],
    provenance: str,
    words: str,
) -> Iterator[Panel]:
    if rows.empty:
        return
    over, one, (wait, cost) = axes[0], named(axes[1]), units
    sized = {"x": rows["x"] / wait.size, **{name: rows[name] / cost.size for name in ("y", "low", "high")}}
    against = IN_WORDS.get(over) or named(over).words
    titles = {
        "x": f"{against} ({wait.symbol})" if wait.symbol else against,
        "y": f"{cost.symbol} per {one.per.replace('_', ' ')}",
    }
    names = [name for name in family.treatments if name in set(rows[TREATMENT])]
    title = f"{one.title} against {against}" + (f", {words}" if words else "")
    label = f"{title}: a mark per framework and setting, with its interval; the table below has the numbers."
    ticks = sorted(set(rows["x"])) if over in IN_WORDS else None
    yield Panel(title, curves(rows.assign(**sized), names, titles, ticks), label, one.badge(provenance))
