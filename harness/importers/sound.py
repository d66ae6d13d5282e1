"""What every imported run must be, whatever its format: plainly named, and of numbers that a campaign can hold."""

from __future__ import annotations

import numpy as np

from harness.energy.series import Series
from harness.files.untrusted import printable
from harness.importers.base import Imported, ImportedRun, SourceError
from harness.sampling.reading import LARGEST

MOST_RUNS = 100_000
LONGEST_NAME = 200
LATEST_NS = 1 << 63


def require(imported: Imported) -> Imported:
    """Raises: SourceError for the first run that is not sound."""
    if len(imported.runs) > MOST_RUNS:
        raise SourceError(
            imported.root, f"{len(imported.runs)} runs, more than the {MOST_RUNS} that are read"
        )
    for run in imported.runs:
        if cause := _name_cause(run) or _number_cause(run):
            raise SourceError(run.sources[0], cause)
    return imported


def _name_cause(run: ImportedRun) -> str:
    """Why a name is none; empty if all are: names come from files, from folders and from cells."""
    treatment = run.treatment.model_dump(exclude={"settings"})
    names = [*map(str, run.sources), *treatment.values(), *map(str, run.treatment.settings.values())]
    if odd := [name for name in names if printable(name) != name]:
        return f"'{printable(odd[0])[:LONGEST_NAME]}' is no plain text"
    if odd := [name for name in treatment.values() if len(name) > LONGEST_NAME]:
        return f"a name of {len(odd[0])} characters: {odd[0][:20]}..."
    return ""


def _number_cause(run: ImportedRun) -> str:
    if not 0 <= run.repetition < 2**31:
        return f"repetition {run.repetition}"
    begin_ns = run.begin_ns or 0
    if run.duration_ns < 0 or abs(begin_ns) >= LATEST_NS or begin_ns + run.duration_ns >= LATEST_NS:
        return f"a run of {run.duration_ns} ns from {begin_ns} ns on"
    return next((cause for one in run.series if (cause := _series_cause(one))), "")


def _series_cause(one: Series) -> str:
    if not (np.abs(one.values) < LARGEST).all():  # nan compares as false
        return f"{one.channel.name} holds what is no finite number"
    return f"time runs backwards in {one.channel.name}" if (np.diff(one.t_ns) < 0).any() else ""
