"""Two profiled runs of the same work: a difference flame graph and the table of the functions that differ most."""

from __future__ import annotations

from typing import Any

from harness.analysis.function_costs import FunctionCosts
from harness.analysis.function_types import FunctionTypes
from harness.analysis.profile_pairs import ProfiledPair
from reports import difference_tables, flames
from reports.flames import Flame
from reports.formats import quantity
from reports.parts import Block, Sentence
from reports.wording import anchor

APART = (
    "Widths are joules of the run that is chosen above it, colours are differences of what a function itself took: "
    "blue is less and orange more than in {reference}. The table below has the largest ones."
)


def entry(pair: ProfiledPair, types: FunctionTypes, index: int, kind: str) -> dict[str, Any]:
    """`block` and `flame`, as a page takes them; `kind` and `index` make their keys."""
    reference, other = pair.names
    key, title = anchor(kind, index), f"{other} against {reference}: {pair.reference.work.title}"
    if pair.costs is None:
        sentence = Sentence(f"Not held against each other: {pair.reason}.")
        return {"block": Block(key, title, (sentence,)), "flame": None}
    one, two = pair.costs
    table = difference_tables.of_pair(pair, types, title, f"{kind}-table-{index + 1}")
    data = flames.data_of({reference: one.stacks, other: two.stacks})
    label = f"Difference flame graph of {title}; the table below has its numbers"
    flame = Flame(f"{kind}-apart-{index + 1}", title, label, APART.format(reference=reference), data)
    return {"block": Block(key, title, (Sentence(_told(one, two)),), tables=(table,)), "flame": flame}


def _told(one: FunctionCosts, other: FunctionCosts) -> str:
    return (
        f"{quantity(other.energy_j, 'J')} against {quantity(one.energy_j, 'J')} of the reference, {one.provenance}. "
        "One profiled run of each: this shows where to look, and is no verdict."
    )
