"""The published cleaning rules, by name: each marks values, none deletes them (rule R28).

A campaign's own runs are excluded for pre-declared causes only; these rules repeat studies, and show what changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from harness.analysis.description import describe
from harness.analysis.verdict import Flags, Floats
from harness.errors import UsageError
from harness.suggest import unknown

SIGMAS = 3.0
FENCE = 1.5  # Tukey 1977
EXCLUDED_BY = "excluded_by"


def three_sigma(values: Floats) -> Flags:
    """Farther than three standard deviations (n - 1) from the mean. Cannot fire for n <= 10: max |z| is 2.85."""
    if len(values) < 2:
        return np.zeros(len(values), dtype=bool)
    return np.asarray(np.abs(values - values.mean()) > SIGMAS * values.std(ddof=1))


def tukey(values: Floats) -> Flags:
    """More than 1.5 interquartile ranges outside the quartiles."""
    if not len(values):
        return np.zeros(0, dtype=bool)
    low, high = np.quantile(values, (0.25, 0.75))
    reach = FENCE * (high - low)
    return np.asarray((values < low - reach) | (values > high + reach))


def negative(values: Floats) -> Flags:
    """Below 0, as a difference of a counter that wrapped unseen."""
    return np.asarray(values < 0)


RULES: dict[str, Callable[[Floats], Flags]] = {
    "three-sigma": three_sigma,
    "tukey": tukey,
    "negative": negative,
}


class Cleaned(NamedTuple):
    """`marked`: the input with EXCLUDED_BY, the rule's name or empty; `change`: describe() before and after."""

    marked: pd.DataFrame
    change: pd.DataFrame


def clean(frame: pd.DataFrame, quantity: str, rules: Sequence[str], by: Sequence[str] = ()) -> Cleaned:
    """Applies the rules in turn, each once and within each group `by`, to the values that the one before kept.

    `change` has one row per group, rule ("" for before) and DESCRIPTION_COLUMNS. Unknown values are never marked.
    Raises: UsageError for a rule that is none.
    """
    for name in rules:
        if name not in RULES:
            raise UsageError(unknown("cleaning rule", name, RULES))
    marked, stages = frame.assign(**{EXCLUDED_BY: ""}), [_described(frame, quantity, by, "")]
    for name in rules:
        kept = (marked[EXCLUDED_BY] == "") & marked[quantity].notna()
        hit = _hit(marked[kept], quantity, by, RULES[name])
        marked.loc[kept, EXCLUDED_BY] = np.where(hit, name, "")
        stages.append(_described(marked[marked[EXCLUDED_BY] == ""], quantity, by, name))
    return Cleaned(marked, pd.concat(stages, ignore_index=True))


def marks(frame: pd.DataFrame, quantity: str, rule: str, by: Sequence[str]) -> int:
    """How many values the rule alone would mark within the groups `by`, as `clean` does, and no description."""
    known = frame[frame[quantity].notna()]
    return int(_hit(known, quantity, by, RULES[rule]).sum()) if len(known) else 0


def _hit(kept: pd.DataFrame, quantity: str, by: Sequence[str], rule: Callable[[Floats], Flags]) -> Flags:
    values = kept[quantity].astype("float64")
    if not by:
        return rule(np.asarray(values, dtype=np.float64))
    groups = values.groupby([kept[name] for name in by], dropna=False)
    return groups.transform(lambda part: rule(np.asarray(part, dtype=np.float64))).to_numpy(dtype=np.bool_)


def _described(frame: pd.DataFrame, quantity: str, by: Sequence[str], rule: str) -> pd.DataFrame:
    if by:
        table = frame.groupby(list(by))[quantity].apply(describe).unstack().reset_index()
    else:
        table = describe(frame[quantity]).to_frame().T
    return table.assign(rule=rule)
