"""Which findings of a run are told at once: each the first time that its code appears for a treatment."""

from __future__ import annotations

from collections import Counter

from harness.findings.codes import Severity
from harness.records import Finding, RunRecord


class FindingsTold:
    """Counts all that matter, by code; a campaign of a thousand runs tells a weakness of its machine once."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()
        self.counts: Counter[str] = Counter()

    def new(self, record: RunRecord) -> list[Finding]:
        """Those of a finished run that have not been told yet."""
        found = [one for one in record.findings if one.severity in (Severity.WARNING, Severity.INVALID)]
        self.counts.update(one.code for one in found)
        treatment = record.planned.treatment.model_dump_json()
        fresh = {one.code: one for one in found if (treatment, one.code) not in self._told}
        self._told |= {(treatment, code) for code in fresh}
        return list(fresh.values())

    @property
    def repeated(self) -> dict[str, int]:
        """How often each code came up, of those that came up more than once."""
        return {code: count for code, count in sorted(self.counts.items()) if count > 1}
