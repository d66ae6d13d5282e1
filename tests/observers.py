"""Who watches a campaign in a test."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import DecidedRatio, PlannedRun, Provenance, RunRecord
from suite.protocol import Event


class Silent:
    """Observes and says nothing."""

    def run_started(self, planned: PlannedRun) -> None: ...

    def run_event(self, event: Event) -> None: ...

    def run_finished(self, record: RunRecord) -> None: ...

    def waiting(self, what: str) -> None: ...

    def power(self, power_w: float | None, provenance: Provenance | None) -> None: ...

    def looked(self, ratios: Sequence[DecidedRatio]) -> None: ...

    def note(self, words: str) -> None: ...
