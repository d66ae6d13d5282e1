"""Operators of all frameworks in one table, by what they compute, so that the same one can be held side by side."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import pandas as pd

UPDATE, COMPILED, OTHER = "optimiser update", "compiled kernels", "other"
OF_GRADIENT, OF_EITHER = ", gradient", ", pass not told"
NORMALISED = ["operator", "name", "calls", "seconds", "share", "bytes", "flops"]
AMOUNTS = ["bytes", "flops"]
JOULES = ["joules", "least_j", "most_j"]  # of those whose joules are told
COMPOSED = {"activation", "softmax and loss", "normalisation", "attention", "random numbers"}


def operator(name: str, scope: str) -> str:
    """What a framework's operator computes: "convolution", "convolution, gradient"; the rules: data/operators.csv.

    `scope` is one of suite.profilers.operators. Of a path the last part decides, but where a part before it names an
    operator in so many words ("pooling/reduce_max"), or what is made of simpler ones ("relu/max").
    """
    if scope == "optimiser":
        return UPDATE
    if name.startswith("compiled by"):
        return COMPILED + (OF_GRADIENT if scope == "gradient" else "")
    *before, last = name.split("/")
    found = _of_scope(before) or _of_name(last) or OTHER
    return found + {"gradient": OF_GRADIENT, "unknown": OF_EITHER}.get(scope, "")


def normalised(told: pd.DataFrame) -> pd.DataFrame:
    """NORMALISED: what each computes, its name, its calls, own seconds and share of all, the costliest first.

    `told`: OPERATOR_COLUMNS of harness.profiling.operator_files.
    """
    total_s = told["seconds"].sum()
    found = told.assign(
        operator=[operator(*pair) for pair in zip(told["name"], told["scope"], strict=True)],
        share=told["seconds"] / total_s if total_s > 0 else 0.0,
    )
    return found.sort_values("seconds", ascending=False, kind="stable", ignore_index=True)[NORMALISED]


def by_operator(found: pd.DataFrame) -> pd.DataFrame:
    """One row for each operator: seconds and share are sums, `calls` those of the costliest of its `name`s.

    Bytes and FLOPs are those that are told of any of its names; null where none is. So are `joules`, where `found` has
    such a column.
    """
    groups = found.groupby("operator", sort=False)
    told = [*AMOUNTS, *(one for one in JOULES[:1] if one in found)]
    summed = groups[["seconds", "share"]].sum().join(groups[told].sum(min_count=1))
    summed = summed.join(groups[["name", "calls"]].first()).reset_index()
    columns = [*NORMALISED, *told[len(AMOUNTS) :]]
    return summed.sort_values("seconds", ascending=False, kind="stable", ignore_index=True)[columns]


def _of_scope(parts: Sequence[str]) -> str:
    """The operator that a part before the last names."""
    known = {name for name, _ in _rules()}
    return next((part for part in parts if part in known), "") or next(
        (found for part in parts if (found := _of_name(part)) in COMPOSED), ""
    )


def _of_name(name: str) -> str:
    plain = re.sub(r"[-./:#]+", " ", name.lower())
    return next((operator for operator, names in _rules() if names.search(plain)), "")


@cache
def _rules() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """In their order: the first that fits names it."""
    text = (files("harness.analysis") / "data" / "operators.csv").read_text(encoding="utf-8")
    return tuple((row["operator"], re.compile(row["names"])) for row in csv.DictReader(text.splitlines()))
