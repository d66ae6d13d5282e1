"""Treatments of two campaigns: nothing pairs their blocks, so their runs are independent samples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from harness.analysis.compare import Comparison, Ratio, mixed
from harness.analysis.costs import COST_COLUMNS
from harness.analysis.equivalence import ALPHA
from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.intervals import CONFIDENCE
from harness.analysis.quantities import QUANTITIES, Quantity
from harness.analysis.verdict import MARGIN, Floats, log_margin
from harness.errors import UsageError


def welch_ratio(treatment: Floats, reference: Floats, margin: float = MARGIN) -> Ratio:
    """Ratio of geometric means of positive values, with Welch's interval on logarithms; `blocks` of the smaller.

    Sources: Welch 1947, Biometrika 34:28; equivalence by two one-sided tests, whose interval at 1 - 2 x 5 % lies
    within the margin (Schuirmann 1987).
    """
    one, other = np.log(treatment), np.log(reference)
    mean, n = float(one.mean() - other.mean()), min(len(one), len(other))
    if n < 2:
        return Ratio(float(np.exp(mean)), None, None, n, margin)
    parts = [float(values.var(ddof=1)) / len(values) for values in (one, other)]
    error = sqrt(sum(parts))
    freedom = _freedom(parts, [len(one), len(other)])
    half, reach = (float(stats.t.ppf(q, freedom)) * error for q in ((1 + CONFIDENCE) / 2, 1 - ALPHA))
    low, high = float(np.exp(mean - half)), float(np.exp(mean + half))
    return Ratio(float(np.exp(mean)), low, high, n, margin, abs(mean) + reach < log_margin(margin))


def _freedom(parts: list[float], sizes: list[int]) -> float:
    """Welch and Satterthwaite; of values that do not vary at all, those of the smaller sample."""
    spread = sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    return sum(parts) ** 2 / spread if spread else float(min(sizes) - 1)


def pairs_of(new: Collection[str], old: Collection[str]) -> dict[str, str]:
    """Which treatment is held against which: the same one, else the only versions of a framework in each campaign.

    Raises: UsageError if no framework is in both, or several versions leave it open.
    """
    pairs = {name: name for name in new if name in old}
    if pairs:
        return pairs
    ours, theirs = _only_versions(new), _only_versions(old)
    if found := {ours[name]: theirs[name] for name in ours if name in theirs}:
        return found
    raise UsageError(
        f"nothing pairs {', '.join(sorted(new))} with {', '.join(sorted(old))}: say --reference and --candidate"
    )


def _only_versions(names: Iterable[str]) -> dict[str, str]:
    """Framework -> treatment, of frameworks in one version."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition(" ")[0], []).append(name)
    return {framework: several[0] for framework, several in found.items() if len(several) == 1}


def between(
    new: pd.DataFrame, old: pd.DataFrame, pairs: Mapping[str, str], margin: float = MARGIN
) -> pd.DataFrame:
    """COST_COLUMNS of every judged quantity of each pair, in the work that both campaigns did.

    `new`, `old`: runs that count, with rates and treatments; `pairs`: treatment of the new one -> reference.
    Raises: UsageError where they have no work in common.
    """
    theirs = _by_treatment(old)
    rows = [
        _row(key, reference, runs, theirs[*key[:-1], reference], quantity, margin)
        for key, runs in _by_treatment(new).items()
        if (reference := pairs.get(key[-1])) and (*key[:-1], reference) in theirs
        for quantity in QUANTITIES
        if quantity.judged
    ]
    if not rows:
        raise UsageError("the campaigns have no work in common that counts: the same data sets and settings")
    return pd.DataFrame(rows, columns=COST_COLUMNS)


def _by_treatment(runs: pd.DataFrame) -> dict[tuple[str, ...], pd.DataFrame]:
    grouped = runs.groupby([*GROUP, TREATMENT])
    return {tuple(map(str, key)): group for key, group in grouped if isinstance(key, tuple)}


def _row(
    key: tuple[str, ...],
    reference: str,
    runs: pd.DataFrame,
    others: pd.DataFrame,
    quantity: Quantity,
    margin: float,
) -> dict[str, Any]:
    found = _compare(runs, others, quantity, margin)
    names = {
        **dict(zip([*GROUP, TREATMENT], key, strict=True)),
        "quantity": quantity.name,
        "reference": reference,
    }
    if found.ratio is None:
        return {**names, "ratio_reason": found.reason}
    one = found.ratio
    numbers = {"ratio": one.ratio, "low": one.low, "high": one.high, "blocks": one.blocks}
    return {**names, **numbers, "verdict": str(one.verdict), "margin": margin}


def _compare(runs: pd.DataFrame, others: pd.DataFrame, quantity: Quantity, margin: float) -> Comparison:
    if quantity.energy and (reason := mixed(pd.concat([runs, others]))):
        return Comparison(None, reason)
    values = [one[quantity.name].dropna().to_numpy(dtype=np.float64) for one in (runs, others)]
    if any(len(one) == 0 or (one <= 0).any() for one in values):
        return Comparison(None, "not recorded in one of the campaigns")
    return Comparison(welch_ratio(values[0], values[1], margin))
