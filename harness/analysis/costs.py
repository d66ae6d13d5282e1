"""What each treatment costs, and the ratio to a reference: one row per group, treatment and quantity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from harness.analysis.compare import Estimate, compare, geometric_mean, mixed, ratio_of
from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.ratios import energy_delay_js, per


@dataclass(frozen=True)
class Quantity:
    """A column of runs.

    `energy`: carries a provenance. `judged`: less is better, so that a ratio earns a verdict. `compared`: has a
    ratio at all.
    """

    name: str
    energy: bool = False
    judged: bool = True
    compared: bool = True


QUALITY = Quantity("quality", judged=False, compared=False)
QUANTITIES = (
    Quantity("energy_j", energy=True),
    Quantity("duration_s"),
    Quantity("mean_power_w", energy=True, judged=False),
    Quantity("stage_energy_j", energy=True),
    Quantity("stage_duration_s"),
    Quantity("stage_mean_power_w", energy=True, judged=False),
    Quantity("stage_energy_j_per_sample", energy=True),
    Quantity("stage_energy_j_per_epoch", energy=True),
    Quantity("energy_delay_js", energy=True),
    Quantity("cpu_s"),
    Quantity("memory_peak_bytes"),
    QUALITY,
    Quantity("quality_per_kj", energy=True, judged=False, compared=False),
)
COST_COLUMNS = [
    *GROUP, TREATMENT, "quantity", "mean", "n", "runs", "provenance", "reason", "best",
    "reference", "ratio", "low", "high", "blocks", "verdict", "margin", "ratio_reason",
]  # fmt: skip


def costs(
    runs: pd.DataFrame, groups: tuple[Group, ...], reference: str | None, estimate: Estimate = ratio_of
) -> pd.DataFrame:
    """COST_COLUMNS. `runs` are those that count; `reference` is a treatment, None for the lowest mean of each.

    mean: geometric over runs, arithmetic for quality; n of `runs` have a value. Null mean: see `reason`.
    """
    rows = [
        row for group in groups for one in QUANTITIES for row in _rows(runs, group, one, reference, estimate)
    ]
    return pd.DataFrame(rows, columns=COST_COLUMNS).astype({"mean": "float64", "ratio": "float64"})


def with_rates(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with the stage's mean power, joules per sample and epoch; energy-delay product and quality per kJ."""
    energy_j = runs["stage_energy_j"]
    return runs.assign(
        stage_mean_power_w=per(energy_j, runs["stage_duration_s"]),
        stage_energy_j_per_sample=per(energy_j, runs["samples"]),
        stage_energy_j_per_epoch=per(energy_j, runs["epochs"]),
        energy_delay_js=energy_delay_js(runs["energy_j"], runs["duration_s"]),
        quality_per_kj=per(runs["quality"], runs["energy_j"] / 1000),
    )


def _rows(
    runs: pd.DataFrame, group: Group, quantity: Quantity, wanted: str | None, estimate: Estimate
) -> Iterator[dict[str, Any]]:
    inside = group.select(runs)
    rows = [_mean_row(group, one, inside[inside[TREATMENT] == one], quantity) for one in group.treatments]
    refused = mixed(inside) if quantity.energy else ""
    best = None if refused else _best(rows, quantity)
    against = wanted or (None if best is None else best[TREATMENT])
    for row in rows:
        row["best"] = _is_best(row, best, rows, quantity)
        if quantity.compared:
            row.update(_ratio(inside, row, quantity, against, estimate))
        yield row


def _mean_row(group: Group, treatment: str, runs: pd.DataFrame, quantity: Quantity) -> dict[str, Any]:
    values = runs[quantity.name].dropna()
    refused = mixed(runs) if quantity.energy else ""
    mean = None if refused else _mean(values, quantity)
    return {
        **group.key,
        TREATMENT: treatment,
        "quantity": quantity.name,
        "mean": mean,
        "n": len(values),
        "runs": len(runs),
        "provenance": " and ".join(sorted(set(runs["provenance"].dropna()))) if quantity.energy else None,
        "reason": "" if mean is not None else refused or _why_unknown(runs, values, quantity),
    }


def _mean(values: pd.Series, quantity: Quantity) -> float | None:
    if quantity == QUALITY:
        return float(values.mean()) if len(values) else None
    return geometric_mean(values)


def _why_unknown(runs: pd.DataFrame, values: pd.Series, quantity: Quantity) -> str:
    if runs.empty:
        return "no run counts"
    if len(values):
        return "a value is not positive"
    reasons = sorted(set(runs["energy_reason"].dropna()) - {""}) if quantity.energy else []
    return "; ".join(reasons) or "not recorded"


def _best(rows: list[dict[str, Any]], quantity: Quantity) -> dict[str, Any] | None:
    """The row of the treatment with the lowest mean, the highest quality; None where no mean is known."""
    known = [row for row in rows if row["mean"] is not None]
    choose = max if quantity == QUALITY else min
    return choose(known, key=lambda row: row["mean"]) if known else None


def _is_best(
    row: dict[str, Any], best: dict[str, Any] | None, rows: list[dict[str, Any]], quantity: Quantity
) -> bool:
    """Several where they tie; none where there is nothing to be better than, and none for power."""
    means = {one["mean"] for one in rows if one["mean"] is not None}
    ranked = len(means) > 1 and (quantity.judged or quantity == QUALITY)
    return ranked and best is not None and bool(row["mean"] == best["mean"])


def _ratio(
    runs: pd.DataFrame, row: dict[str, Any], quantity: Quantity, reference: str | None, estimate: Estimate
) -> dict[str, Any]:
    if reference is None or row["mean"] is None:
        refused = mixed(runs) if quantity.energy and reference is None else ""
        return {"reference": reference, "ratio_reason": refused or row["reason"] or "nothing to compare with"}
    if row[TREATMENT] == reference:
        return {"reference": reference, "ratio": 1.0, "verdict": "reference"}
    treatment, other = (runs[runs[TREATMENT] == one] for one in (row[TREATMENT], reference))
    found = compare(treatment, other, quantity.name, quantity.energy, estimate)
    if found.ratio is None:
        return {"reference": reference, "ratio_reason": found.reason}
    ratio = found.ratio
    judged = {"verdict": str(ratio.verdict), "margin": ratio.margin} if quantity.judged else {}
    numbers = {"ratio": ratio.ratio, "low": ratio.low, "high": ratio.high, "blocks": ratio.blocks}
    return {"reference": reference, **numbers, **judged}
