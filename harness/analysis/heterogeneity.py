"""How much a ratio differs from node to node of a merged campaign, or from session to session of one machine.

Cochran's Q with the scatter that all nodes' blocks have in common: Q / (nodes - 1) is the F of a one-way analysis of
variance, whose p is exact however few blocks a node has. With the scatter of each node's own few blocks, as in
meta-analyses of large studies, ten nodes of five blocks would seem to differ in a third of all cases where none does.
I squared is the part of the nodes' variation that scatter does not explain (Higgins and Thompson 2002, Stat. Med.
21:1539); `between` the standard deviation of the nodes' true ratios, by moments, as a share.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from harness.analysis.groups import GROUP, TREATMENT, Group
from harness.analysis.intervals import CONFIDENCE
from harness.analysis.pairs import NO_SPREAD, Pair
from harness.analysis.quantities import named
from harness.analysis.replicates import BLOCKS, NODES, Replicates
from harness.analysis.verdict import Floats

_ROW = [*GROUP, TREATMENT, "quantity", "reference", "over"]
OWN_COLUMNS = [*_ROW, "number", "ratio", "low", "high", "blocks"]
HETEROGENEITY_COLUMNS = [*_ROW, "replicates", "q", "freedom", "p", "i_squared", "between"]


class Heterogeneity(NamedTuple):
    """Of so many nodes or sessions; null where nothing tells how much what they are told from scatters."""

    replicates: int
    q: float | None = None
    freedom: int | None = None
    p: float | None = None
    i_squared: float | None = None
    between: float | None = None


def heterogeneity(differences: Floats, of: Replicates) -> Heterogeneity:
    """`differences`: log ratios, one a block, which ran on these nodes or in these sessions.

    Nodes are told from their sessions where some have several: what a session does is no difference between nodes.
    """
    if of.kind == NODES and len(np.unique(of.sessions)) > len(of.numbers):
        sessions, first = np.unique(of.sessions, return_index=True)
        differences = Replicates(of.kind, of.sessions, of.sessions).means(differences)
        of = Replicates(of.kind, of.of[first], sessions)
    _, codes, blocks = np.unique(of.of, return_inverse=True, return_counts=True)
    count, n = len(blocks), len(differences)
    means = np.bincount(codes, differences) / blocks
    within = float(np.square(differences - means[codes]).sum())
    if count < 2 or n <= count or within <= n * NO_SPREAD**2:
        return Heterogeneity(count)
    variance = within / (n - count)
    q = float((blocks * np.square(means - differences.mean())).sum()) / variance
    p = float(scipy.stats.f.sf(q / (count - 1), count - 1, n - count))
    typical = (n - float(np.square(blocks).sum()) / n) / (count - 1)  # blocks of a node
    between = np.sqrt(max(0.0, (q / (count - 1) - 1) * variance / typical))
    return Heterogeneity(
        count, q, count - 1, p, max(0.0, 1 - (count - 1) / q) if q else 0.0, float(np.expm1(between))
    )


def of_each(pair: Pair, of: Replicates) -> pd.DataFrame:
    """OWN_COLUMNS from `number` on: each one's own ratio, with its own 95 % interval, over its blocks.

    Or over its sessions, where a node has several. Null where there is but one, or all are alike.
    """
    sessions = pair.over(Replicates(of.kind, of.sessions, of.sessions))
    _, first = np.unique(of.sessions, return_index=True)
    owner = of.of[first]
    numbers, blocks = np.unique(of.of, return_counts=True)
    several = np.isin(of.of, [one for one in numbers if (owner == one).sum() > 1])
    values = np.concatenate(
        [pair.differences[~several], sessions.differences[np.isin(owner, of.of[several])]]
    )
    owners = np.concatenate([of.of[~several], owner[np.isin(owner, of.of[several])]])
    half = _half(values, np.searchsorted(numbers, owners), len(numbers))
    if pair.measured is not None:
        half = np.hypot(half, scipy.stats.norm.isf((1 - CONFIDENCE) / 2) * of.in_quadrature(pair.measured))
    means = of.means(pair.differences)
    ends = {"ratio": means, "low": means - half, "high": means + half}
    return pd.DataFrame(
        {"number": numbers, **{name: np.exp(one) for name, one in ends.items()}, "blocks": blocks}
    )


def _half(values: Floats, codes: Any, count: int) -> Floats:
    """Student's, of the values of each code; nan where nothing tells."""
    n = np.bincount(codes, minlength=count)
    means = np.bincount(codes, values, count) / n
    squares = np.bincount(codes, np.square(values - means[codes]), count)
    known = (n > 1) & (squares > n * NO_SPREAD**2)
    freedom = np.where(known, n - 1, 1)
    t = scipy.stats.t.isf((1 - CONFIDENCE) / 2, freedom)
    return np.asarray(np.where(known, t * np.sqrt(squares / freedom / n), np.nan))


class Apart(NamedTuple):
    """`own`: OWN_COLUMNS; `together`: HETEROGENEITY_COLUMNS; both empty for a campaign of one session."""

    own: pd.DataFrame
    together: pd.DataFrame


def apart(runs: pd.DataFrame, costs: pd.DataFrame, groups: tuple[Group, ...]) -> Apart:
    """Of every ratio in `costs` (COST_COLUMNS) that was told over nodes or sessions; `runs` are those that count.

    No interval stands beside a ratio whose verdict is withheld.
    """
    found = list(_found(runs, costs, groups))
    own = [one for one, _ in found]
    frame = pd.concat(own, ignore_index=True) if own else pd.DataFrame(columns=OWN_COLUMNS)
    return Apart(frame[OWN_COLUMNS], pd.DataFrame([row for _, row in found], columns=HETEROGENEITY_COLUMNS))


def _found(
    runs: pd.DataFrame, costs: pd.DataFrame, groups: tuple[Group, ...]
) -> Iterator[tuple[pd.DataFrame, dict[str, Any]]]:
    told = costs[costs["over"].notna() & (costs["over"] != BLOCKS) & costs["ratio"].notna()]
    for group in groups:
        inside = group.select(runs)
        of = {name: inside[inside[TREATMENT] == name] for name in group.treatments}
        for row in group.select(told).to_dict("records"):
            quantity = named(row["quantity"])
            pair, where = quantity.by_block(of[row[TREATMENT]], of[row["reference"]])
            names = {name: row[name] for name in _ROW}
            own = of_each(pair, where).assign(**names)
            if quantity.judged and pd.isna(row["verdict"]):
                own[["low", "high"]] = np.nan
            yield own, names | heterogeneity(pair.differences, where)._asdict()
