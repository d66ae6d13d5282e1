"""The two lines that a terminal shows of the run under way, fitted to its width; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from harness.files.untrusted import printable
from harness.planning.forecast import Eta
from harness.records import PlannedRun, Provenance, Purpose
from suite.protocol import Event

GAP = "  "
IN_NO_BLOCK: dict[str, str] = {Purpose.PREPARE: "preparation", Purpose.PROFILE: "under the profiler"}


@dataclass(frozen=True)
class View:
    """What is known of a campaign at one moment. `planned` is None between two runs; `phase` then says why."""

    run: int
    total: int
    planned: PlannedRun | None
    phase: str
    power: str  # empty until it has been asked for
    elapsed_s: float
    eta: Eta
    findings: int
    own: str = ""  # what sets the run's work apart from that of others in the plan


@dataclass(frozen=True)
class Part:
    """The higher its rank, the earlier a part goes where its line is too wide; rank 0 stays, cut at the edge."""

    text: str
    rank: int = 0


def lines(view: View, width: int) -> Text:
    """Where it is and how it goes, on two lines of at most `width` cells."""
    return Text("\n").join([fitted(_where(view), width), fitted(_how(view), width)])


def plain(view: View) -> str:
    """All of it on one line, for a log."""
    return _joined([part for part in (*_where(view), *_how(view)) if part.text])


def _where(view: View) -> list[Part]:
    return [
        Part(f"run {view.run}/{view.total}"),
        Part(_place(view.planned), 1),
        Part(view.planned.treatment.label if view.planned else ""),
        Part(view.own),
        Part(f"findings {view.findings}" if view.findings else "", 2),
    ]


def _how(view: View) -> list[Part]:
    return [
        Part(view.phase),
        Part(view.power, 1),
        Part(f"ETA {clock(view.eta.seconds)}", 2),
        Part(interval(view.eta), 3),
        Part(f"elapsed {clock(view.elapsed_s)}", 4),
    ]


def fitted(parts: Sequence[Part], width: int) -> Text:
    kept = [part for part in parts if part.text]
    while len(_joined(kept)) > width and any(part.rank for part in kept):
        kept.remove(max(kept, key=lambda part: part.rank))
    line = Text(printable(_joined(kept)), no_wrap=True)
    line.truncate(width, overflow="ellipsis")
    return line


def _joined(parts: Sequence[Part]) -> str:
    return GAP.join(part.text for part in parts)


def _place(planned: PlannedRun | None) -> str:
    return "" if planned is None else place(planned)


def place(planned: PlannedRun) -> str:
    """Which block it is in; of what lies outside all measured ones, why it is made."""
    if planned.block and planned.purpose != Purpose.PROFILE:
        return f"block {planned.block}"
    return IN_NO_BLOCK.get(planned.purpose, planned.purpose)


def phase(event: Event) -> str | None:
    """What begins with this event, "train epoch 2"; None if nothing does."""
    if event.kind != "phase" or event.data["edge"] != "begin":
        return None
    epoch = event.data.get("epoch")
    return str(event.data["name"]) if epoch is None else f"{event.data['name']} epoch {epoch}"


def watts(power_w: float | None, provenance: Provenance | None) -> str:
    """Never without the word that says what kind of number it is (rule R40)."""
    return "power unknown" if power_w is None else f"{power_w:.1f} W {provenance}"


def interval(eta: Eta) -> str:
    known = eta.low_s is not None and eta.high_s is not None
    return f"({clock(eta.low_s or 0)} to {clock(eta.high_s or 0)})" if known else ""


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
