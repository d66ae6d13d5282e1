"""Who watches a block on its node: into the job's log, and for the word that the job shall end."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from pathlib import Path

from harness.records import PlannedRun, Provenance, RunRecord
from suite.protocol import Event

log = logging.getLogger(__name__)
LOOK_S = 2.0


class Revoked(KeyboardInterrupt):
    """The controller gave the job up: it ends as by Ctrl-C, whether or not the scheduler still reaches it."""


@dataclass
class JobWatcher:
    """Observes a campaign. `word`: the file that is there once the job shall end."""

    word: Path
    _looked_s: float = field(default=0.0, init=False)

    def run_started(self, planned: PlannedRun) -> None:
        log.info("%s begins", planned.run_id)
        self.require_leave()

    def run_event(self, event: Event) -> None:
        self._look()

    def run_finished(self, record: RunRecord) -> None:
        log.info("%s: %s %s", record.planned.run_id, record.outcome, record.reason)
        self.require_leave()

    def waiting(self, what: str) -> None:
        self._look()

    def power(self, power_w: float | None, provenance: Provenance | None) -> None:
        self._look()

    def _look(self) -> None:
        """Not at every event: the folder may be on a network."""
        if time.monotonic() > self._looked_s + LOOK_S:
            self._looked_s = time.monotonic()
            self.require_leave()

    def require_leave(self) -> None:
        """Raises: Revoked if the controller has given the job up."""
        if self.word.exists():
            raise Revoked
