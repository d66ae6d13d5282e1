"""The progress of a campaign for people: two live lines on a terminal, plain lines anywhere else."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.padding import Padding
from rich.text import Text

from harness.analysis.sequential import Decision
from harness.campaign.remaining import Remaining
from harness.cli import live_lines, screen, verdict_line
from harness.cli.findings_told import FindingsTold
from harness.cli.live_lines import View
from harness.findings.codes import Severity
from harness.records import DecidedRatio, Outcome, PlannedRun, Provenance, Purpose, RunRecord, Treatment
from suite.protocol import Event

STYLES: dict[str, str] = {Severity.WARNING: "yellow", Severity.INVALID: "red"}
REFRESHES_PER_S = 2  # few: the screen must not disturb the measurement


class Progress:
    """Observes a campaign; whatever ends is a line that stays, what is under way is redrawn below."""

    def __init__(
        self, console: Console, remaining: Remaining, own_words: Callable[[Treatment], str] = lambda one: ""
    ) -> None:
        self._console, self._remaining, self._findings = console, remaining, FindingsTold()
        self._own_words = own_words
        self._began_s = self._run_began_s = time.monotonic()
        self._planned: PlannedRun | None = None
        self._phase, self._power = "starting", ""
        self._provenance: Provenance | None = None
        self._told: set[str] = set()
        self._lock = Lock()  # the screen is redrawn in a thread of its own
        self._live = Live(
            get_renderable=self._lines, console=console, refresh_per_second=REFRESHES_PER_S, transient=True
        )

    def __enter__(self) -> Progress:
        self._remaining.interrupted(time.monotonic())
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._live.stop()
        if repeated := [f"{code} {count} times" for code, count in self._findings.repeated.items()]:
            self._say(f"findings in all: {', '.join(repeated)}")

    def waiting(self, what: str) -> None:
        self._planned, self._phase, self._power = None, what, ""

    def run_started(self, planned: PlannedRun) -> None:
        with self._lock:
            self._remaining.started(planned)
        self._planned, self._phase, self._power = planned, "startup", ""
        self._run_began_s = time.monotonic()
        if not self._console.is_terminal:
            self._say(live_lines.plain(self._view()))

    def run_event(self, event: Event) -> None:
        self._phase = live_lines.phase(event) or self._phase

    def power(self, power_w: float | None, provenance: Provenance | None) -> None:
        self._power, self._provenance = live_lines.watts(power_w, provenance), provenance

    def looked(self, ratios: Sequence[DecidedRatio]) -> None:
        """Each once, as soon as it has a verdict: what comes later does not change it."""
        for one in ratios:
            if one.decision != Decision.VERDICT:
                continue
            if (told := verdict_line.words(one, self._provenance)) not in self._told:
                self._told.add(told)
                self._say(told, 2, "bold")

    def note(self, words: str) -> None:
        self._say(words, 2)

    def run_finished(self, record: RunRecord) -> None:
        now_s = time.monotonic()
        with self._lock:
            self._remaining.finished(record.planned, now_s)
        count = (
            ""
            if record.planned.purpose == Purpose.WARM_UP
            else f"{self._remaining.done}/{self._remaining.total} "
        )
        mark = "" if record.outcome is Outcome.OK else f"  {record.outcome.upper()}: {record.reason}"
        self.waiting("between two runs")
        took = f"{count}{record.planned.run_id}  {now_s - self._run_began_s:.1f} s{mark}"
        self._say(took, 2, "red" if mark else "")
        for one in self._findings.new(record):
            self._say(f"{one.severity}: {one.code}: {one.message}; {one.advice}", 4, STYLES[one.severity])

    def _say(self, line: str, indent: int = 0, style: str = "") -> None:
        """Wrapped at words on a terminal; one line is one line in a log."""
        text = screen.plain(line, style)
        if self._console.is_terminal:
            self._console.print(Padding(text, (0, 0, 0, indent), expand=False))
        else:
            self._console.print(Text(" " * indent) + text, soft_wrap=True)

    def _lines(self) -> Text:
        return live_lines.lines(self._view(), self._console.width)

    def _view(self) -> View:
        now_s, remaining = time.monotonic(), self._remaining
        with self._lock:
            eta = remaining.eta(now_s)
        return View(
            run=min(remaining.done + 1, remaining.total),
            total=remaining.total,
            planned=self._planned,
            phase=self._phase,
            power=self._power,
            elapsed_s=now_s - self._began_s,
            eta=eta,
            findings=self._findings.counts.total(),
            own=self._own_words(self._planned.treatment) if self._planned else "",
        )
