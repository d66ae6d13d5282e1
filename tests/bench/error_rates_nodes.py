"""Merged campaigns of which the truth is known: how often a verdict over their nodes or sessions is false.

`rows()` and `heterogeneity_rows()` are tables of docs/statistics.md; `python -m tests.bench.error_rates_nodes` prints
them. Nothing differs between treatments on the whole; on each node the ratio does, and in each session of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats

from harness.analysis.intervals import mean_and_error
from harness.analysis.replicates import NODES, SESSIONS, Replicates
from harness.analysis.simultaneous import critical_t
from harness.analysis.verdict import Floats

CAMPAIGNS = 20_000
NOISE, NODE, SESSION = (
    0.01,
    0.01,
    0.005,
)  # standard deviations of log ratios: of a block, a node, a session of it


@dataclass(frozen=True)
class Design:
    """`blocks` of each session, by node; `quiet`: what the first half of the nodes scatters less by."""

    words: str
    blocks: tuple[tuple[int, ...], ...]
    node: float = NODE
    session: float = 0.0
    quiet: float = 1.0

    @property
    def replicates(self) -> Replicates:
        shape = [(node, number) for node, of in enumerate(self.blocks, 1) for number in of]
        nodes = np.repeat([node for node, _ in shape], [number for _, number in shape])
        sessions = np.repeat(np.arange(1, len(shape) + 1), [number for _, number in shape])
        one_node = len(self.blocks) == 1
        return Replicates(SESSIONS, sessions, sessions) if one_node else Replicates(NODES, nodes, sessions)

    def draw(self, seed: int, campaigns: int = CAMPAIGNS) -> Floats:
        """Log ratios [campaigns, blocks], 0 in the mean of all nodes that there might be."""
        draw = np.random.default_rng([seed, *(number for of in self.blocks for number in of)])
        where = self.replicates
        nodes = where.of if len(self.blocks) > 1 else np.ones_like(where.of)
        scale = np.where(nodes <= len(self.blocks) // 2, 1 / self.quiet, 1.0)
        found = draw.normal(0, NOISE, (campaigns, len(nodes))) * scale
        for spread, codes in ((self.node, nodes), (self.session, where.sessions)):
            found += draw.normal(0, spread, (campaigns, codes.max()))[:, codes - 1] * scale
        return found


def even(nodes: int, blocks: int = 5, sessions: int = 1) -> tuple[tuple[int, ...], ...]:
    return ((blocks,) * sessions,) * nodes


DESIGNS = (
    *(Design(f"{number} nodes of 5 blocks", even(number)) for number in (2, 3, 5, 10, 20)),
    Design("5 nodes of 5 blocks; no node differs", even(5), node=0.0),
    Design("5 nodes of 5 blocks; nodes differ by 3 %", even(5), node=0.03),
    Design("5 nodes of 3, 3, 5, 10 and 20 blocks", ((3,), (3,), (5,), (10,), (20,))),
    Design("6 nodes of 5 blocks, three of them three times quieter", even(6), quiet=3.0),
    Design("4 nodes of 2 sessions of 5 blocks; sessions differ by 0.5 %", even(4, 5, 2), session=SESSION),
    Design(
        "4 nodes of 1, 1, 2 and 5 sessions of 5 blocks", ((5,), (5,), (5,) * 2, (5,) * 5), session=SESSION
    ),
    Design("1 node, 3 sessions of 5 blocks; sessions differ by 1 %", ((5,) * 3,), node=0.0, session=0.01),
    Design("1 node, 6 sessions of 5 blocks; sessions differ by 1 %", ((5,) * 6,), node=0.0, session=0.01),
)


def matrix(design: Design) -> Floats:
    """What harness.analysis.replicates makes of blocks, as a matrix: it is linear."""
    where = design.replicates
    return np.stack([where.means(one) for one in np.eye(len(where.of))], axis=1)


def ours(design: Design, logs: Floats) -> Floats:
    means = logs @ matrix(design).T
    mean, error = mean_and_error(means)
    return np.abs(mean) > critical_t(means.shape[1], 1) * error


def over_blocks(design: Design, logs: Floats) -> Floats:
    mean, error = mean_and_error(logs)
    return np.abs(mean) > critical_t(logs.shape[1], 1) * error


def _meta(design: Design, logs: Floats) -> tuple[Floats, Floats, Floats]:
    """Of each node its mean and what scatter leaves in it; the variance between them by DerSimonian and Laird 1986."""
    codes = design.replicates.of - design.replicates.of.min()
    places = [np.flatnonzero(codes == one) for one in range(codes.max() + 1)]
    means = np.stack([logs[:, one].mean(axis=1) for one in places], axis=1)
    errors = np.stack([logs[:, one].var(axis=1, ddof=1) / len(one) for one in places], axis=1)
    weights = 1 / errors
    centre = (weights * means).sum(axis=1) / weights.sum(axis=1)
    q = (weights * np.square(means - centre[:, None])).sum(axis=1)
    whole = weights.sum(axis=1)
    between = (q - means.shape[1] + 1) / (whole - np.square(weights).sum(axis=1) / whole)
    return means, errors, np.maximum(between, 0)


def dersimonian_laird(design: Design, logs: Floats) -> Floats:
    means, errors, between = _meta(design, logs)
    weights = 1 / (errors + between[:, None])
    centre = (weights * means).sum(axis=1) / weights.sum(axis=1)
    return np.abs(centre) * np.sqrt(weights.sum(axis=1)) > stats.norm.isf(0.025)


def hartung_knapp(design: Design, logs: Floats) -> Floats:
    """And Sidik and Jonkman, with the weights of DerSimonian and Laird."""
    means, errors, between = _meta(design, logs)
    weights = 1 / (errors + between[:, None])
    centre = (weights * means).sum(axis=1) / weights.sum(axis=1)
    n = means.shape[1]
    scale = (weights * np.square(means - centre[:, None])).sum(axis=1) / (n - 1)
    return np.abs(centre) / np.sqrt(scale / weights.sum(axis=1)) > stats.t.isf(0.025, n - 1)


METHODS: dict[str, Callable[[Design, Floats], Floats]] = {
    "t over nodes or sessions (ours)": ours,
    "t over all blocks": over_blocks,
    "DerSimonian-Laird": dersimonian_laird,
    "Hartung-Knapp-Sidik-Jonkman": hartung_knapp,
}


@cache
def rates(seed: int = 1) -> dict[str, list[float]]:
    """Design -> how often each method is wrong."""
    found = {}
    for design in DESIGNS:
        logs = design.draw(seed)
        found[design.words] = [float(method(design, logs).mean()) for method in METHODS.values()]
    return found


def rows() -> list[str]:
    return [
        f"| {words} | {' | '.join(f'{100 * rate:.1f} %' for rate in several)} |"
        for words, several in rates().items()
    ]


def pooled_p(design: Design, logs: Floats) -> Floats:
    """As harness.analysis.heterogeneity: the F of a one-way analysis of variance."""
    codes = design.replicates.of
    return np.asarray(stats.f_oneway(*(logs[:, codes == one] for one in np.unique(codes)), axis=1).pvalue)


def own_p(design: Design, logs: Floats) -> Floats:
    """Q with each node's own scatter, against chi-squared."""
    means, errors, _ = _meta(design, logs)
    centre = (means / errors).sum(axis=1) / (1 / errors).sum(axis=1)
    q = (np.square(means - centre[:, None]) / errors).sum(axis=1)
    return np.asarray(stats.chi2.sf(q, means.shape[1] - 1))


@cache
def heterogeneity_rates(seed: int = 2) -> dict[str, Sequence[float]]:
    """How often nodes that do not differ seem to, and how often those that differ by 1 % do."""
    found = {}
    for nodes, blocks in ((3, 3), (3, 5), (5, 5), (10, 5), (10, 20)):
        same, other = (Design("", even(nodes, blocks), node=spread) for spread in (0.0, NODE))
        found[f"{nodes} nodes of {blocks} blocks"] = [
            float((p(design, design.draw(seed)) < 0.05).mean())
            for p, design in ((pooled_p, same), (own_p, same), (pooled_p, other))
        ]
    return found


def heterogeneity_rows() -> list[str]:
    return [
        f"| {words} | {' | '.join(f'{100 * rate:.1f} %' for rate in several)} |"
        for words, several in heterogeneity_rates().items()
    ]


def main() -> None:
    print("| nothing differs on the whole |", " | ".join(METHODS), "|")
    print("|---|" + "---:|" * len(METHODS))
    print("\n".join(rows()))
    print(
        "\n| | no node differs | no node differs; each node's own scatter | nodes differ by 1 % |\n|---|---:|---:|---:|"
    )
    print("\n".join(heterogeneity_rows()))


if __name__ == "__main__":
    main()
