"""Which findings touch the ratios that are told: those of the campaigns, and of the runs behind each ratio. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from harness.analysis.gating import Side
from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.parity import Key, key_of
from harness.analysis.withheld import codes_of
from harness.findings.codes import Severity
from harness.records import Finding, Purpose

GRAVE = (Severity.INVALID, Severity.WARNING)  # of which a reader must know; the report has them all


@dataclass(frozen=True)
class Touching:
    """`whole`: of the campaigns; `by_key`: of the runs of a treatment, each finding of each run; `runs`: how many."""

    whole: Sequence[Finding]
    by_key: Mapping[Key, Sequence[Finding]] = field(default_factory=dict)
    runs: Mapping[Key, int] = field(default_factory=dict)

    @classmethod
    def of(cls, sides: Iterable[Side]) -> Touching:
        whole, by_key, runs = dict[tuple[str, str], Finding](), dict[Key, list[Finding]](), dict[Key, int]()
        for side in sides:
            told = (*side.campaign.record.findings, *side.analysis.findings)
            whole |= {(one.code, one.message): one for one in told if one.severity in GRAVE}
            for run in side.campaign.unprofiled:
                if run.record.planned.purpose == Purpose.MEASURE:
                    key = key_of(run.record.planned.treatment)
                    runs[key] = runs.get(key, 0) + 1
                    by_key.setdefault(key, []).extend(f for f in run.record.findings if f.severity in GRAVE)
        return cls(list(whole.values()), by_key, runs)

    def noted(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with `findings`: the codes that touch each or withhold its verdict, with spaces between."""
        always = {one.code for one in self.whole}
        codes = [
            always
            | {one.code for key in _keys(row) for one in self.by_key.get(key, ())}
            | codes_of(row["ratio_reason"])
            for row in rows.to_dict("records")
        ]
        return rows.assign(findings=[" ".join(sorted(one)) for one in codes])

    def lines(self, rows: pd.DataFrame) -> Iterator[str]:
        """A line a finding; of runs each code once, in how many of those that these rows compare."""
        for one in self.whole:
            yield f"{one.severity}: {one.code}: {one.message}"
        keys = list(dict.fromkeys(key for row in rows.to_dict("records") for key in _keys(row)))
        of = sum(self.runs.get(key, 0) for key in keys)
        found: dict[tuple[str, str], list[str]] = {}
        for key in keys:
            for one in self.by_key.get(key, ()):
                found.setdefault((one.severity, one.code), []).append(one.message)
        for (severity, code), messages in found.items():
            yield f"{severity}: {code}: in {len(messages)} of the {of} runs compared, as: {messages[0]}"


def _keys(row: Mapping[Any, Any]) -> list[Key]:
    work = tuple(str(row[name]) for name in GROUP)
    return [(work, str(row[TREATMENT])), (work, str(row["reference"]))]
