"""Runs whose samples are gone: their energy is unknown, which nothing else of them tells."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from harness.analysis.groups import name_of
from harness.findings.codes import Code
from harness.records import Finding, Outcome
from harness.store import SAMPLES_FILE, Run

NAMED = 3  # of the runs, in one message


def lost_samples(runs: Iterable[Run]) -> Iterator[Finding]:
    """One finding for each treatment: of a run that was read by meters and lacks the file of what they read."""
    found: dict[str, list[str]] = {}
    for run in runs:
        if run.record.channels and run.record.outcome is Outcome.OK and not os.path.lexists(run.samples_path):
            treatment = run.record.planned.treatment
            where = f"{name_of(treatment)}, {treatment.workload} {treatment.stage}"
            found.setdefault(where, []).append(run.folder.name)
    for where, names in found.items():
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        message = f"{where}: no {SAMPLES_FILE} in {', '.join(names[:NAMED])}{more}: their energy is unknown"
        yield Finding.of(Code.SAMPLES_MISSING, message)
