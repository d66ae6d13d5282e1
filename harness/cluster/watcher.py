"""What watches a block on its node: its runs, into the job's log; and the word that the job shall end.

Slurm ends a job by SIGTERM. Where it has lost the node, the controller says so by a file; this process then sends
itself the same signal, so that nothing measures on behind everybody's back.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from harness.records import DecidedRatio, PlannedRun, Provenance, RunRecord
from suite.protocol import Event as Told

log = logging.getLogger(__name__)
LOOK_S = 2.0


class JobWatcher:
    """Observes a campaign, for its log."""

    def run_started(self, planned: PlannedRun) -> None:
        log.info("%s begins", planned.run_id)

    def run_event(self, event: Told) -> None: ...

    def run_finished(self, record: RunRecord) -> None:
        log.info("%s: %s %s", record.planned.run_id, record.outcome, record.reason)

    def waiting(self, what: str) -> None: ...

    def power(self, power_w: float | None, provenance: Provenance | None) -> None: ...

    def looked(self, ratios: Sequence[DecidedRatio]) -> None: ...

    def note(self, words: str) -> None: ...


@contextmanager
def ended_by(word: Path) -> Iterator[None]:
    """This process gets SIGTERM, once, as soon as the file `word` is there."""
    over = Event()
    thread = Thread(target=_watch, args=(word, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _watch(word: Path, over: Event) -> None:
    while not over.wait(LOOK_S):
        if word.exists():
            os.kill(os.getpid(), signal.SIGTERM)
            return
