"""The progress of a campaign: a live panel on a terminal, plain lines anywhere else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from harness.records import Outcome, PlannedRun, Provenance, RunRecord
from suite.protocol import Event

REFRESHES_PER_S = 2  # few: the screen must not disturb the measurement


class Remaining:
    """Expected seconds of the runs to come: what a treatment took so far, else the mean, else the plan's word."""

    def __init__(self, runs: Sequence[PlannedRun], expected_run_s: float) -> None:
        self._to_come = [run.treatment.label for run in runs]
        self._took_s: dict[str, list[float]] = {}
        self._expected_run_s = expected_run_s

    def finished(self, label: str, took_s: float) -> None:
        if label in self._to_come:  # a repetition was not expected
            self._to_come.remove(label)
        self._took_s.setdefault(label, []).append(took_s)

    def seconds(self) -> float:
        every = [took for group in self._took_s.values() for took in group]
        otherwise = sum(every) / len(every) if every else self._expected_run_s
        known = {label: sum(group) / len(group) for label, group in self._took_s.items()}
        return sum(known.get(label, otherwise) for label in self._to_come)


class Progress:
    """Observes a campaign and shows run, phase, elapsed and remaining time."""

    def __init__(self, console: Console, runs: Sequence[PlannedRun], expected_run_s: float) -> None:
        self._console, self._total = console, len(runs)
        self._remaining = Remaining(runs, expected_run_s)
        self._began = self._run_began = time.monotonic()
        self._done, self._phase = 0, "starting"
        self._planned: PlannedRun | None = None
        self._live = Live(
            get_renderable=self._line, console=console, refresh_per_second=REFRESHES_PER_S, transient=True
        )

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._live.stop()

    def run_started(self, planned: PlannedRun) -> None:
        self._planned, self._phase, self._run_began = planned, "startup", time.monotonic()
        if not self._console.is_terminal:
            self._console.print(self._line().plain, markup=False, soft_wrap=True)

    def run_event(self, event: Event) -> None:
        if event.kind == "phase" and event.data["edge"] == "begin":
            epoch = event.data.get("epoch")
            self._phase = event.data["name"] if epoch is None else f"{event.data['name']} epoch {epoch}"

    def waiting(self, what: str) -> None: ...

    def power(self, power_w: float | None, provenance: Provenance | None) -> None: ...

    def run_finished(self, record: RunRecord) -> None:
        self._done += 1
        took_s = time.monotonic() - self._run_began
        self._remaining.finished(record.planned.treatment.label, took_s)
        mark = "" if record.outcome is Outcome.OK else f"  {record.outcome.upper()}: {record.reason}"
        self._total = max(self._total, self._done)
        line = f"  {self._done}/{self._total} {record.planned.run_id}  {took_s:.1f} s{mark}"
        self._console.print(escape(line), soft_wrap=True)

    def _line(self) -> Text:
        if self._planned is None:
            return Text("starting")
        elapsed = _clock(time.monotonic() - self._began)
        remaining = _clock(self._remaining.seconds())
        planned = self._planned
        where = "preparation" if planned.purpose == "prepare" else f"block {planned.block}"
        return Text(
            f"run {self._done + 1}/{self._total} ({where})  {planned.treatment.label}  {self._phase}  "
            f"elapsed {elapsed}  remaining about {remaining}"
        )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
