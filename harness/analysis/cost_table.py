"""One quantity of the same work: what each treatment costs, against one reference, judged together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from harness.analysis import cheapest
from harness.analysis.compare import JouleKinds, Ratio, together
from harness.analysis.groups import TREATMENT, Group
from harness.analysis.judging import Judge, Judgement
from harness.analysis.pairs import ALL_ALIKE, BELOW_RESOLUTION, BlockLogs, Pair
from harness.analysis.quantity import Quantity

# over: of what `blocks` is the number (harness.analysis.replicates). errors, family: which error is held, and over how
# many ratios. scatter, measured: the parts of the interval's half-width, on logarithms. may_be_cheapest: see
# harness.analysis.cheapest; null where nobody knows, or where it was not asked. The others: harness.analysis.robust.
JUDGEMENT_COLUMNS = [
    "over", "errors", "family", "scatter", "measured", "flip_low", "flip_high", "without_low", "without_high",
    "rests_on", "may_be_cheapest",
]  # fmt: skip
NO_RUN = "no run counts"
NO_BLOCK = "no block in which both have a positive value"
Row = dict[str, Any]


@dataclass(frozen=True)
class CostTable:
    """`runs`: those that count, by treatment of the group, in the plan's order; `joules`: what theirs are."""

    group: Group
    quantity: Quantity
    runs: dict[str, pd.DataFrame]
    joules: dict[str, JouleKinds]

    @classmethod
    def of_group(
        cls, runs: pd.DataFrame, group: Group, quantities: Iterable[Quantity]
    ) -> Iterator[CostTable]:
        """One for each quantity. `runs`: those that count, with rates, of all groups."""
        inside = group.select(runs)
        by_treatment = {one: inside[inside[TREATMENT] == one] for one in group.treatments}
        joules = {one: JouleKinds.of(runs) for one, runs in by_treatment.items()}
        return (cls(group, quantity, by_treatment, joules) for quantity in quantities)

    def rows(self, reference: str, judging: Judge, ranked: bool) -> Iterator[Row]:
        """COST_COLUMNS of harness.analysis.costs, one row a treatment."""
        means = {name: self._mean_row(name) for name in self.runs}
        best = self._best(means)
        ratios = self._ratios(means, reference, judging) if self.quantity.compared else {}
        known = [name for name, row in means.items() if row["mean"] is not None]
        cheap = self._may_be_cheapest(known) if ranked and self.quantity.ranked else {}
        for name, row in means.items():
            yield row | {"best": name in best, "may_be_cheapest": cheap.get(name)} | ratios.get(name, {})

    def spread(self, name: str, reference: str) -> float | None:
        """Standard deviation of the log differences to the reference; None below two blocks that both share."""
        pair = self._pair(name, reference)
        return None if pair is None or len(pair.differences) < 2 else float(pair.differences.std(ddof=1))

    def _mean_row(self, name: str) -> Row:
        runs, energy = self.runs[name], self.quantity.energy
        values, refused = runs[self.quantity.name].dropna(), self._refused(name)
        mean = None if refused else self.quantity.mean_of(values)
        return {
            **self.group.key,
            TREATMENT: name,
            "quantity": self.quantity.name,
            "mean": mean,
            "n": len(values),
            "runs": len(runs),
            "provenance": self.joules[name].words if energy else None,
            "reason": "" if mean is not None else refused or _why_unknown(runs, values, self.quantity),
        }

    def _best(self, means: dict[str, Row]) -> set[str]:
        """Several where they tie; none among joules that are not to be compared."""
        known = {name: row["mean"] for name, row in means.items() if row["mean"] is not None}
        best = self.quantity.best(list(known.values()))
        if best is None or (self._refused(*self.runs)):
            return set()
        return {name for name, mean in known.items() if mean == best}

    def _ratios(self, means: dict[str, Row], reference: str, judging: Judge) -> dict[str, Row]:
        others = [name for name in means if name != reference]
        pairs = {name: self._pair_or_reason(means[name], reference) for name in others}
        known = {name: pair for name, pair in pairs.items() if isinstance(pair, Pair)}
        judged = zip(known, judging(list(known.values()), len(others)), strict=True)
        found: dict[str, Row] = {name: {"ratio_reason": why} for name, why in pairs.items()}
        found |= {name: self._told(judgement) | {"over": known[name].kind} for name, judgement in judged}
        lacking = means[reference]["reason"]
        found[reference] = {"ratio_reason": lacking} if lacking else {"ratio": 1.0, "verdict": "reference"}
        return {name: {"reference": reference, **one} for name, one in found.items()}

    def _pair_or_reason(self, row: Row, reference: str) -> Pair | str:
        if row["mean"] is None:
            return str(row["reason"])
        refused = self._refused(row[TREATMENT], reference)
        return refused or self._pair(row[TREATMENT], reference) or NO_BLOCK

    def _refused(self, *names: str) -> str:
        """Joules of different provenance or boundary are never compared (rule R40)."""
        return together(*(self.joules[name] for name in names)) if self.quantity.energy else ""

    def _pair(self, treatment: str, reference: str) -> Pair | None:
        return self._logs[treatment].over(self._logs[reference])

    @cached_property
    def _logs(self) -> dict[str, BlockLogs]:
        return {name: self.quantity.logs(runs) for name, runs in self.runs.items()}

    def _told(self, one: Judgement) -> Row:
        ratio, checks, judged = one.ratio, one.checks, self.quantity.judged
        return {
            "ratio": ratio.ratio,
            "low": ratio.low,
            "high": ratio.high,
            "blocks": ratio.blocks,
            **({"verdict": self._verdict(ratio), "margin": ratio.margin} if judged else {}),
            "ratio_reason": ratio.reason or None,
            "errors": one.errors,
            "family": one.family,
            "scatter": ratio.scatter,
            "measured": ratio.measured,
            "flip_low": checks.flip_low,
            "flip_high": checks.flip_high,
            "without_low": checks.without_low,
            "without_high": checks.without_high,
            "rests_on": " ".join(map(str, checks.rests_on)) if judged else "",
        }

    def _verdict(self, ratio: Ratio) -> str | None:
        """None where the blocks tell nothing of how sure the ratio is: that is less than inconclusive."""
        unsure = ratio.reason in (ALL_ALIKE, BELOW_RESOLUTION)
        return None if unsure else str(self.quantity.verdict(ratio.verdict))

    def _may_be_cheapest(self, names: list[str]) -> dict[str, bool]:
        """Of those that have a mean; empty where that is not all, or some are not to be compared."""
        if len(names) < max(2, len(self.runs)) or self._refused(*names):
            return {}
        found = cheapest.candidates(names, self._pair)
        return {name: name in found for name in names} if found else {}


def _why_unknown(runs: pd.DataFrame, values: pd.Series, quantity: Quantity) -> str:
    if runs.empty:
        return NO_RUN
    if len(values):
        return "a value is not positive"
    reasons = sorted(set(runs["energy_reason"].dropna()) - {""}) if quantity.energy else []
    return "; ".join(reasons) or "not recorded"
