"""The progress of a campaign for machines: one JSON object a line on standard output."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from harness.campaign.remaining import Remaining
from harness.cli.findings_told import FindingsTold
from harness.records import DecidedRatio, PlannedRun, Provenance, RunRecord
from suite.protocol import Event


class JsonProgress:
    """Observes a campaign; every object has `time` (ISO 8601, UTC) and `event`. Unknown is null."""

    def __init__(self, remaining: Remaining) -> None:
        self._remaining, self._findings = remaining, FindingsTold()

    def __enter__(self) -> JsonProgress:
        self._remaining.interrupted(time.monotonic())
        self._send("campaign", runs=self._remaining.total, runs_done=self._remaining.done, eta=self._eta())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._send("end", runs_done=self._remaining.done, interrupted=kind is not None,
                   findings=dict(self._findings.counts))  # fmt: skip

    def waiting(self, what: str) -> None:
        self._send("waiting", what=what, eta=self._eta())

    def run_started(self, planned: PlannedRun) -> None:
        self._remaining.started(planned)
        self._send("run-started", run=planned.run_id, block=planned.block, purpose=planned.purpose,
                   **planned.treatment.model_dump(), eta=self._eta())  # fmt: skip

    def run_event(self, event: Event) -> None:
        if event.kind == "phase":
            self._send("phase", **event.data)

    def power(self, power_w: float | None, provenance: Provenance | None) -> None:
        self._send("power", power_w=power_w, provenance=provenance)

    def looked(self, ratios: Sequence[DecidedRatio]) -> None:
        for one in ratios:
            self._send("look", **one.model_dump())

    def note(self, words: str) -> None:
        self._send("note", text=words)

    def run_finished(self, record: RunRecord) -> None:
        """`finding` objects come the first time that a code appears for a treatment; the run names all of its own."""
        self._remaining.finished(record.planned, time.monotonic())
        for finding in self._findings.new(record):
            self._send("finding", run=record.planned.run_id, **finding.model_dump())
        findings = [finding.model_dump() for finding in record.findings]
        self._send("run-finished", run=record.planned.run_id, outcome=record.outcome, reason=record.reason,
                   findings=findings, runs_done=self._remaining.done, eta=self._eta())  # fmt: skip

    def _eta(self) -> dict[str, float | None]:
        return asdict(self._remaining.eta(time.monotonic()))

    @staticmethod
    def _send(event: str, **data: Any) -> None:
        record = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **data}
        sys.stdout.write(json.dumps(record) + "\n")
        sys.stdout.flush()
