"""The progress of a campaign for machines: one JSON object a line on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from harness.records import PlannedRun, Provenance, RunRecord
from suite.protocol import Event


class JsonProgress:
    """Observes a campaign; every object has `time` (ISO 8601, UTC) and `event`."""

    def __init__(self, runs: Sequence[PlannedRun]) -> None:
        self._total, self._done = len(runs), 0

    def __enter__(self) -> JsonProgress:
        self._send("campaign", runs=self._total)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._send("end", runs_done=self._done, interrupted=kind is not None)

    def run_started(self, planned: PlannedRun) -> None:
        self._send("run-started", run=planned.run_id, block=planned.block, purpose=planned.purpose,
                   **planned.treatment.model_dump())  # fmt: skip

    def run_event(self, event: Event) -> None:
        if event.kind == "phase":
            self._send("phase", **event.data)

    def waiting(self, what: str) -> None: ...

    def power(self, power_w: float | None, provenance: Provenance | None) -> None: ...

    def run_finished(self, record: RunRecord) -> None:
        self._done += 1
        findings = [finding.model_dump() for finding in record.findings]
        self._send("run-finished", run=record.planned.run_id, outcome=record.outcome, reason=record.reason,
                   findings=findings, runs_done=self._done)  # fmt: skip

    @staticmethod
    def _send(event: str, **data: Any) -> None:
        record = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **data}
        sys.stdout.write(json.dumps(record) + "\n")
        sys.stdout.flush()
