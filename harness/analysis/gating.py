"""What a gate expects, from the plans, and why a ratio that it expects cannot pass. Fails closed.

What is expected never follows from what was measured: of two campaigns every treatment of the old one's plan, in one
every treatment of its plan beside the reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.limits import NOT_TOGETHER, GateOutcome, judge
from harness.analysis.parity import key_of
from harness.analysis.quantities import named
from harness.analysis.replicates import BLOCKS, NODES, SESSIONS
from harness.analysis.summary import Analysis
from harness.analysis.withheld import AS_MUCH_AS_CLAIMED, Doubt, Work, work_of
from harness.findings.codes import Code
from harness.records import IMPORTED, Purpose
from harness.store import Campaign
from suite.task import Direction

MORE = {BLOCKS: "run more blocks", SESSIONS: "measure more sessions", NODES: "measure on more nodes"}
ABSENT = "absent"  # in place of a treatment that nobody has named


@dataclass(frozen=True)
class Side:
    """One campaign of those that are compared."""

    campaign: Campaign
    analysis: Analysis

    def works_of(self, name: str) -> list[Work]:
        """In which the plan has it."""
        return [work_of(one) for one in self.analysis.groups if name in one.treatments]


@dataclass(frozen=True)
class Expected:
    """A ratio in every quantity of the gate; `measured`: whose runs it stands on."""

    work: Work
    treatment: str
    reference: str
    measured: tuple[tuple[Side, str], ...]


def within(side: Side, reference: str, candidate: str | None) -> list[Expected]:
    """Of one campaign: all treatments of its plan, or one, against the reference, which may lack some work."""
    return [
        Expected(work_of(group), name, reference, ((side, name), (side, reference)))
        for group in side.analysis.groups
        for name in group.treatments
        if name != reference and candidate in (None, name)
    ]


def between(
    new: Sequence[Side], old: Sequence[Side], pairs: Mapping[str, str], chosen: bool
) -> list[Expected]:
    """Of two campaigns: all treatments of the old one's plan; `chosen`: those that the user named alone."""
    ours = {other: name for name, other in pairs.items()}
    theirs = dict.fromkeys(name for group in old[0].analysis.groups for name in group.treatments)
    return [
        Expected(
            work, ours.get(other, ABSENT), other,
            (*((one, ours.get(other, ABSENT)) for one in new), *((one, other) for one in old)),
        )
        for other in theirs
        if other in ours or not chosen
        for work in old[0].works_of(other)
    ]  # fmt: skip


def gated(
    rows: pd.DataFrame, expected: Sequence[Expected], quantities: Sequence[str], max_increase: float
) -> pd.DataFrame:
    """A row for each expected ratio: those of `rows`, with `outcome` and `why` it is none of pass and regression."""
    places = {(*_place(row), row["reference"]): row for row in rows.to_dict("records")}
    named = [(one, quantity) for quantity in quantities for one in expected]
    found = pd.DataFrame(
        [
            places.get((*one.work, one.treatment, quantity, one.reference)) or _missing(one, quantity)
            for one, quantity in named
        ],
        columns=list(rows.columns),
    )
    rises = _as_costs(found)
    whys = [
        list(_doubtful(*pair, max_increase, room))
        for pair, room in zip(named, (1 + max_increase) / rises["high"] - 1, strict=True)
    ]
    outcomes = judge(rises, max_increase)
    passed = (outcomes == GateOutcome.PASS) & np.array([bool(several) for several in whys], dtype=bool)
    outcomes = outcomes.mask(passed, GateOutcome.INCONCLUSIVE)
    told = [
        ""
        if outcome != GateOutcome.INCONCLUSIVE
        else "; ".join(dict.fromkeys([*_shown(row, max_increase), *several]))
        for outcome, row, several in zip(outcomes, rises.to_dict("records"), whys, strict=True)
    ]
    return found.assign(outcome=outcomes, why=told)


def is_gain(quantity: object) -> bool:
    return named(quantity).direction is Direction.HIGHER


def _as_costs(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the inverse of each ratio where more is better: what may rise is then what may fall by as much."""
    gains = np.array([is_gain(one) for one in rows["quantity"]], dtype=bool)
    numbers = rows[["ratio", "low", "high"]].apply(pd.to_numeric, errors="coerce")
    turned = pd.DataFrame(
        {"ratio": 1 / numbers["ratio"], "low": 1 / numbers["high"], "high": 1 / numbers["low"]}
    )
    return rows.assign(**{name: numbers[name].where(~gains, turned[name]) for name in numbers})


def _place(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return (*(row[name] for name in GROUP), row[TREATMENT], row["quantity"])


def _missing(one: Expected, quantity: str) -> dict[str, Any]:
    names = {**dict(zip(GROUP, one.work, strict=True)), TREATMENT: one.treatment, "reference": one.reference}
    return {**names, "quantity": quantity, "ratio_reason": "no ratio"}


def _shown(row: Mapping[Any, Any], max_increase: float) -> Iterator[str]:
    """What the row itself tells."""
    if isinstance(row["ratio_reason"], str) and row["ratio_reason"]:
        yield row["ratio_reason"]
    elif pd.isna(row["low"]):
        yield "too few blocks"
    elif row["low"] > 1 + max_increase:
        yield NOT_TOGETHER
    elif row["high"] > 1 + max_increase:
        of_sessions = str(row.get("method", "")).startswith("sessions")
        more = MORE[SESSIONS if of_sessions else _over(row)]
        end = 1 / row["high"] if is_gain(row["quantity"]) else row["high"]  # as the row's interval is shown
        yield f"its interval reaches to {end:.3f}: {more}"


def _over(row: Mapping[Any, Any]) -> str:
    return str(row["over"]) if row.get("over") in MORE else BLOCKS


def _doubtful(one: Expected, quantity: str, max_increase: float, room: float) -> Iterator[str]:
    """Why a ratio may not pass, whatever its interval says; `room`: by which that lies below what is allowed."""
    for side, name in one.measured:
        yield from _incomplete(side, one.work, name, quantity)
        if side.campaign.record.isolation == IMPORTED:
            yield f"{Code.NOT_VERIFIED}: imported runs, whose work nobody can prove to be equal"
        yield from _unsteady(side.analysis.doubts, quantity, max_increase, room)


def _unsteady(doubts: Sequence[Doubt], quantity: str, max_increase: float, room: float) -> Iterator[str]:
    """To pass is to claim a difference of no more than is allowed, or a saving that leaves more room than that."""
    for one in doubts:
        small = one.up_to is not None and not one.up_to < max(max_increase, room)
        if small and one.speaks_of(quantity):
            why = one.why.removesuffix(AS_MUCH_AS_CLAIMED)
            yield f"{one.code}: {why}, where {100 * max_increase:.3g}% more is allowed"


def _incomplete(side: Side, work: Work, name: str, quantity: str) -> Iterator[str]:
    """Blocks without a run that counts: what failed, was never carried out, or tells nothing of it, is no evidence."""
    where = side.campaign.record.campaign_id
    planned = {
        one.block
        for one in side.campaign.order
        if one.purpose == Purpose.MEASURE and key_of(one.treatment) == (work, name)
    }
    if not planned:
        yield f"{where} has no {name} to hold against it" if name != ABSENT else f"{where} lacks it"
        return
    runs = side.analysis.runs
    mine = runs[(runs[TREATMENT] == name) & (runs[GROUP] == list(work)).all(axis=1)]
    counted = mine[(mine["exclusion"] == "") & mine.reindex(columns=[quantity])[quantity].notna()]
    if missing := planned - set(counted["block"]):
        lost = mine[mine["block"].isin(missing)]
        why = next(
            iter(lost["exclusion"].where(lost["exclusion"] != "", f"no {quantity} was read")),
            "not carried out",
        )
        yield f"{len(missing)} of {len(planned)} blocks have no run of {name} that counts ({why})"
