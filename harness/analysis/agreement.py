"""Where whole numbers that were chosen one after the other, as tokens, first differ from the reference's. Pure.

Rounding decides between two scores that nearly tie, and all that follows may then be another text: whether that is more
than rounding says harness.analysis.equal_work, how long both went together stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from harness.analysis.groups import GROUP, TREATMENT, Group, grouped, name_of
from harness.analysis.reference import Reference
from harness.checks.fingerprints import answers
from harness.records import Purpose
from harness.store import Campaign, Run
from suite.fingerprint import ITEM_DIGITS, first_apart, items_apart

COLUMNS = "/columns"  # ends the names of their fingerprints
Place = tuple[str | int, ...]  # block, treatment, and the group's key
Answers = Mapping[str, Any]
Pair = tuple[Answers, Answers]
AGREEMENT_COLUMNS = [*GROUP, TREATMENT, "output", "length", "first_apart", "rows_apart", "blocks"]


def agreement(campaign: Campaign, groups: tuple[Group, ...], reference: Reference) -> pd.DataFrame:
    """AGREEMENT_COLUMNS: of each treatment against its group's reference, over the blocks that have a run of both.

    first_apart: the first token that differs in any row of any block, from 1; null where none does. rows_apart: the
    largest share of rows in which one does. length: of the longest rows of the reference.
    """
    told = {_place(run): answers(run.events) for run in campaign.runs if _counts(run)}
    rows = [
        {**group.key, TREATMENT: name, **row}
        for group in groups
        for name in group.treatments
        for row in _rows(list(_pairs(told, group, name, reference.of(group))))
    ]
    return pd.DataFrame(rows, columns=AGREEMENT_COLUMNS).astype({"first_apart": "float64"})


def _counts(run: Run) -> bool:
    return run.record.planned.purpose == Purpose.MEASURE


def _place(run: Run) -> Place:
    planned = run.record.planned
    return planned.block, name_of(planned.treatment), *grouped([planned.treatment])[0].key.values()


def _pairs(told: Mapping[Place, Answers], group: Group, name: str, reference: str) -> Iterator[Pair]:
    """Of each block that has both."""
    for block in sorted({int(place[0]) for place in told}):
        mine, theirs = (told.get((block, one, *group.key.values())) for one in (name, reference))
        if mine and theirs:
            yield mine, theirs


def _rows(pairs: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """One for each output that some block tells so of both."""
    outputs = dict.fromkeys(one for mine, _ in pairs for one in mine if one.endswith(COLUMNS))
    for output in outputs:
        both = [(mine, theirs) for mine, theirs in pairs if output in mine and output in theirs]
        firsts = [first_apart(mine[output], theirs[output]) for mine, theirs in both]
        known = [first + 1 for first in firsts if first is not None]
        items = output.replace(COLUMNS, "/items")
        yield {
            "output": output.removesuffix(COLUMNS),
            "length": max((len(theirs[output]) // ITEM_DIGITS for _, theirs in both), default=None),
            "first_apart": min(known, default=None),
            "rows_apart": max(
                (items_apart(mine[items], theirs[items]) for mine, theirs in both), default=None
            ),
            "blocks": len(both),
        }
