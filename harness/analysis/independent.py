"""Treatments of two campaigns, or of several on each side: which are held against which, and what may be concluded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot, sqrt
from typing import Any

import numpy as np
import pandas as pd

from harness.analysis import sessions
from harness.analysis.compare import JouleKinds, mixed
from harness.analysis.costs import COST_COLUMNS
from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.multiplicity import BONFERRONI
from harness.analysis.pairs import ALL_ALIKE
from harness.analysis.quantities import judged_of
from harness.analysis.quantity import Quantity
from harness.analysis.sessions import FEWEST_SESSIONS, ONE_SESSION, Estimate, logs_by_block
from harness.analysis.verdict import MARGIN
from harness.analysis.withheld import Doubt, Work, voiding
from harness.energy.series import COVERAGE
from harness.errors import UsageError
from harness.findings.codes import Code
from suite.task import Direction

BETWEEN_COLUMNS = list(dict.fromkeys([*COST_COLUMNS, "family", "method", "freedom"]))
CONTROL = "the control work"
OF_PROOF = (
    Code.NOT_VERIFIED,
    Code.ONE_IMPLEMENTATION,
)  # asked between the campaigns anew: the same code needs none


@dataclass(frozen=True)
class Session:
    """One campaign. `runs`: those that count, with rates and treatments; `controls`: BASELINE_COLUMNS by block."""

    runs: pd.DataFrame
    controls: pd.DataFrame = field(default_factory=pd.DataFrame)
    doubts: tuple[Doubt, ...] = ()

    def of(self, work: Work, treatment: str) -> pd.DataFrame:
        mask = self.runs[TREATMENT] == treatment
        for name, value in zip(GROUP, work, strict=True):
            mask &= self.runs[name] == value
        return self.runs[mask]


@dataclass(frozen=True)
class Common:
    """What campaigns have in common: `unchanged` treatments by work, and whether their control work is the same.

    `unequal`: (work, new treatment, old one) -> why their work is not known to be equal.
    """

    unchanged: Collection[tuple[Work, str]] = ()
    controls: bool = False
    unequal: Mapping[tuple[Work, str, str], Sequence[str]] = field(default_factory=dict)


def pairs_of(new: Collection[str], old: Collection[str]) -> dict[str, str]:
    """Which treatment is held against which: the same one; of the others the only versions of a framework.

    Raises: UsageError if no framework is in both, or several versions leave it open.
    """
    same = {name: name for name in new if name in old}
    ours, theirs = (_only_versions(name for name in names if name not in same) for names in (new, old))
    if found := same | {ours[name]: theirs[name] for name in ours if name in theirs}:
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
    new: Sequence[Session],
    old: Sequence[Session],
    pairs: Mapping[str, str],
    common: Common = Common(),
    margin: float = MARGIN,
) -> pd.DataFrame:
    """BETWEEN_COLUMNS of every judged quantity of each pair, in the work that all campaigns did.

    `pairs`: treatment of the new ones -> of the old ones. `family`: so many ratios of one quantity and work have
    intervals that hold together; `method`: how they were found. A verdict is null where `ratio_reason` withholds it.
    Empty where they have no work in common.
    """
    found = [
        (work, name, pairs[name])
        for work in _works(new[0])
        for name in pairs
        if all(len(one.of(work, name)) for one in new) and all(len(one.of(work, pairs[name])) for one in old)
    ]
    comparison = _Comparison(new, old, common, margin)
    rows = [
        comparison.row(work, name, other, quantity, sum(one[0] == work for one in found))
        for work, name, other in found
        for quantity in judged_of(new[0].of(work, name))
        if all(quantity.name in one.runs for one in (*new, *old))
    ]
    return pd.DataFrame(rows, columns=BETWEEN_COLUMNS)


def _works(session: Session) -> list[Work]:
    return [tuple(map(str, work)) for work in session.runs[GROUP].drop_duplicates().to_numpy()]


@dataclass(frozen=True)
class _Comparison:
    new: Sequence[Session]
    old: Sequence[Session]
    common: Common
    margin: float

    def row(self, work: Work, name: str, other: str, quantity: Quantity, family: int) -> dict[str, Any]:
        names = {
            **dict(zip(GROUP, work, strict=True)),
            TREATMENT: name,
            "quantity": quantity.name,
            "reference": other,
        }
        if quantity.energy:
            names["provenance"] = JouleKinds.of(pd.concat(self._runs(work, name, other))).words
        if reason := self._unknown(work, name, other, quantity):
            return {**names, "ratio_reason": reason}
        one = self._estimate(work, name, other, quantity, family)
        numbers = {
            "ratio": one.ratio, "low": one.low, "high": one.high, "blocks": one.replicates, "margin": self.margin,
            "family": family, "method": one.method, "freedom": one.freedom,
            "verdict": str(quantity.verdict(one.verdict)), "errors": BONFERRONI, "scatter": one.scatter,
            "measured": one.measured,
        }  # fmt: skip
        row = names | numbers
        whys = list(dict.fromkeys([*self._withheld(row, work, name, other), *_too_few(one)]))
        return row | ({"verdict": None, "ratio_reason": "; ".join(whys)} if whys else {})

    def _runs(self, work: Work, name: str, other: str) -> list[pd.DataFrame]:
        return [*(one.of(work, name) for one in self.new), *(one.of(work, other) for one in self.old)]

    def _unknown(self, work: Work, name: str, other: str, quantity: Quantity) -> str:
        runs = self._runs(work, name, other)
        if quantity.energy and (reason := mixed(pd.concat(runs))):
            return reason
        unknown = any(logs_by_block(one, quantity.name).empty for one in runs)
        return "not recorded in one of the campaigns" if unknown else ""

    def _estimate(self, work: Work, name: str, other: str, quantity: Quantity, family: int) -> Estimate:
        ours, theirs = (
            [logs_by_block(one.of(work, each), quantity.name) for one in side]
            for side, each in ((self.new, name), (self.old, other))
        )
        if min(len(ours), len(theirs)) >= FEWEST_SESSIONS:
            measured = self._measured(work, name, other, quantity, ())
            return sessions.over_sessions(ours, theirs, family, self.margin, measured)
        for to, yardsticks in self._yardsticks(work, name, other, quantity):
            new, old = yardsticks[: len(ours)], yardsticks[len(ours) :]
            one, two = (list(zip(*side, strict=True)) for side in ((ours, new), (theirs, old)))
            if all((cost - by).notna().any() for cost, by in (*one, *two)):
                names = () if to == CONTROL else self._unchanged(work, name, other)
                measured = (
                    self._measured(work, name, other, quantity, names)
                    if names or not quantity.energy
                    else None
                )
                return sessions.relative(one, two, to, family, self.margin, measured)
        return sessions.plain(ours, theirs)

    def _yardsticks(
        self, work: Work, name: str, other: str, quantity: Quantity
    ) -> Iterator[tuple[str, list[pd.Series]]]:
        """What is unchanged, in words, and its logs by block in each session: treatments, or the control work."""
        both = [*self.new, *self.old]
        if names := self._unchanged(work, name, other):
            yield " and ".join(names), [_mean_of(one, work, names, quantity) for one in both]
        if self.common.controls and (columns := _control_columns(quantity)):
            tables = [one.controls for one in both]
            kinds = {kind for one in tables for kind in one["provenance"].dropna()}
            if not quantity.energy or len(kinds) == 1:
                logs = (one[columns].transform(np.log).sum(axis=1, skipna=False).dropna() for one in tables)
                yield CONTROL, [-one if quantity.direction is Direction.HIGHER else one for one in logs]

    def _measured(
        self, work: Work, name: str, other: str, quantity: Quantity, yardsticks: Sequence[str]
    ) -> float | None:
        """What measuring leaves unsure of the log of the ratio: a standard uncertainty; None where unknown."""
        parts = [(self.new, name, 1), (self.old, other, 1)]
        parts += [(side, each, len(yardsticks)) for side in (self.new, self.old) for each in yardsticks]
        found = [_of_the_mean(side, work, each, quantity) for side, each, _ in parts]
        if any(one is None for one in found):
            return None
        return hypot(*(one / share for one, (*_, share) in zip(found, parts, strict=True) if one is not None))

    def _unchanged(self, work: Work, name: str, other: str) -> list[str]:
        """None for what is unchanged itself: of two such that moved apart nobody could tell which one has moved."""
        if name == other and (work, name) in self.common.unchanged:
            return []
        return sorted(each for of, each in self.common.unchanged if of == work and each not in (name, other))

    def _withheld(self, row: Mapping[Any, Any], work: Work, name: str, other: str) -> Iterator[str]:
        """What speaks against the work of either side, or of what they are measured by."""
        yield from self.common.unequal.get((work, name, other), ())
        named = self._unchanged(work, name, other) if row["method"].startswith("within") else []
        for side, own in ((self.new, name), (self.old, other)):
            doubts = [doubt for one in side for doubt in one.doubts if doubt.code not in OF_PROOF]
            for each in (own, *named):
                yield from voiding({**row, TREATMENT: each, "reference": each}, doubts)


def _too_few(one: Estimate) -> list[str]:
    if one.low is not None:
        return []
    if one.method == sessions.ONE:
        return [ONE_SESSION]
    return [ALL_ALIKE if one.replicates > 1 else f"{Code.ONE_BLOCK}: a campaign has a single block with both"]


def _mean_of(session: Session, work: Work, names: Sequence[str], quantity: Quantity) -> pd.Series:
    """By block, of the blocks that have all of them."""
    logs = [logs_by_block(session.of(work, name), quantity.name) for name in names]
    return pd.concat(logs, axis=1, join="inner").mean(axis=1, skipna=False)


def _of_the_mean(side: Sequence[Session], work: Work, name: str, quantity: Quantity) -> float | None:
    """The standard uncertainty of the mean log of a treatment's runs, each campaign with the same weight."""
    if quantity.uncertainty is None:
        return None
    half, whole = quantity.uncertainty
    found = []
    for runs in (one.of(work, name) for one in side):
        if half not in runs or runs[half].isna().any():
            return None
        found.append(sqrt(((runs[half] / runs[whole]) ** 2).sum()) / len(runs) / COVERAGE)
    return hypot(*found) / len(found)


def _control_columns(quantity: Quantity) -> list[str]:
    """What of the control work is like this quantity; an energy-delay product is of both."""
    energy = ["control_energy_j"] if quantity.energy else []
    return energy + (["control_duration_s"] if quantity.time else [])
