"""What an importer hands over: runs of another tool, as series of channels, with the files that they came from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from harness.energy.series import Series
from harness.errors import SuiteError
from harness.files.untrusted import printable
from harness.records import Channel, Finding, Outcome, Purpose, TaskRecord, Treatment, Unavailable
from suite.protocol import Event

UNKNOWN = "unknown"


class SourceError(SuiteError):
    """A foreign file that cannot be imported whole: its name, the line if there is one, and the cause."""

    def __init__(self, path: Path, cause: str, line: int | None = None) -> None:
        super().__init__(f"{printable(path)}{'' if line is None else f':{line}'}: {cause}")


@dataclass(frozen=True)
class ImportedRun:
    """One run: its measured window and its series, in nanoseconds of whatever clock the files use.

    `begin_ns` is None where the files tell no time: such runs follow each other. `attachments` are texts by file name.
    """

    treatment: Treatment
    repetition: int
    duration_ns: int
    series: tuple[Series, ...]
    sources: tuple[Path, ...]
    begin_ns: int | None = None
    events: tuple[Event, ...] = ()
    purpose: Purpose = Purpose.MEASURE
    outcome: Outcome = Outcome.OK
    reason: str = ""
    started: str = UNKNOWN
    environment: Mapping[str, Any] = field(default_factory=dict)
    attachments: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    lost: tuple[Unavailable, ...] = ()

    @property
    def channels(self) -> tuple[Channel, ...]:
        return tuple(one.channel for one in self.series)


@dataclass(frozen=True)
class Imported:
    """Everything that a path holds, in the order of its runs; `root` is what file names are relative to."""

    root: Path
    runs: tuple[ImportedRun, ...]
    findings: tuple[Finding, ...] = ()
    task: TaskRecord | None = None  # of its workloads, where they tell a quality

    @property
    def files(self) -> Iterator[Path]:
        return iter(dict.fromkeys(path for run in self.runs for path in run.sources))


def covering(root: Path, runs: Sequence[ImportedRun]) -> Path:
    """The folder below which all their files lie: some formats keep a session's files above those of its runs."""
    return Path(os.path.commonpath([root, *(source.parent for run in runs for source in run.sources)]))


class Format(Protocol):
    """A module in harness.importers.formats."""

    NAME: str
    SUMMARY: str

    def read(self, path: Path) -> Imported:
        """Raises: SourceError for the first file that cannot be read whole."""
