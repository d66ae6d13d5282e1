"""A worker's word of its own run, held against the host's clock and its CPUs: honest ones pass, forged ones do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks import telling
from harness.energy.series import Series
from harness.findings.codes import Code, Severity
from harness.meters.process import ProcessMeter
from harness.worker.follow import Told
from suite.protocol import Event

MS = 1_000_000
GO_NS = 1_000 * MS
TOLERANCE_NS = int(telling.LATENESS_ALLOWED_S * 1e9)


def told(t_ms: float, kind: str, late_ms: float = 1.0, **data: Any) -> Told:
    seen_ns = int((t_ms + late_ms) * MS)  # by a host that never stops looking
    return Told(Event(int(t_ms * MS), kind, data), seen_ns, seen_ns)


def phase(t_ms: float, name: str, edge: str, epoch: int | None = None) -> Told:
    return told(t_ms, "phase", name=name, edge=edge, epoch=epoch)


def honest() -> list[Told]:
    return [
        told(900, "ready", pid=1),
        phase(1_100, "train", "begin", 1),
        phase(1_200, "train", "end", 1),
        phase(1_200, "evaluate", "begin", 1),
        phase(1_300, "evaluate", "end", 1),
        told(1_300, "metrics", metric="accuracy", values={}),
        told(1_400, "work", samples=1),
        told(1_500, "done"),
    ]


def changed(place: int, one: Told | None) -> list[Told]:
    events = honest()
    events[place : place + 1] = [] if one is None else [one]
    return events


def test_an_honest_run_has_nothing_to_answer_for() -> None:
    assert list(telling.untrue(honest(), GO_NS)) == []


FORGED: list[tuple[list[Told], str]] = [
    (changed(7, None), "told done 0 times"),
    ([*honest(), told(1_600, "done")], "told done 2 times"),
    (changed(0, None), "told ready 0 times"),
    ([told(800, "ready"), *honest()], "told ready 2 times"),
    ([told(800, "metrics"), *honest()], "told metrics before ready"),
    ([*honest(), told(1_600, "metrics")], "told metrics after it was done"),
    ([*honest(), told(1_600, "work", samples=9)], "told work after it was done"),
    ([*honest(), phase(1_600, "train", "begin")], "told phase after it was done"),
    ([*honest(), told(1_600, "failed", error="x")], "told failed after it was done"),
    (
        [*changed(6, told(1400, "work"))[:7], told(1450, "work"), told(1500, "done")],
        "told its work more than once",
    ),
    (changed(7, told(1_500, "done", late_ms=501)), "done had not come 0.501 s after its date"),
    (changed(7, told(1_500, "done", late_ms=-1)), "done came 0.001 s before its date"),
    (changed(7, told(1_350, "done", late_ms=150)), "done is dated before the event that came before it"),
    (changed(7, told(950, "done", late_ms=400)), "done is dated before the event that came before it"),
    (changed(1, phase(950, "train", "begin", 1)), "phase is dated before go"),
    (changed(0, told(1_050, "ready")), "ready is dated after go"),
    (changed(2, None), "phase evaluate begins before train has ended"),
    ([*changed(4, None)[:2], *honest()[5:]], "phase train has no end"),
    (changed(1, None), "phase train ends where it is not the one that is open"),
    (changed(2, phase(1_200, "train", "end", 2)), "phase train ends where it is not the one that is open"),
    (changed(2, phase(1_200, "load", "end", 1)), "phase load ends where it is not the one that is open"),
    (changed(4, None), "phase evaluate has no end"),
    (changed(2, phase(1_150, "train", "begin", 2)), "phase train begins before train has ended"),
]


@pytest.mark.parametrize(("events", "words"), FORGED, ids=[words for _, words in FORGED])
def test_what_no_honest_worker_tells_makes_the_run_invalid(events: list[Told], words: str) -> None:
    (finding,) = telling.untrue(events, GO_NS)
    assert finding.severity == Severity.INVALID and finding.code == Code.UNTRUE_EVENTS
    assert words in finding.message


@given(st.integers(-(10**10), 10**10))
def test_a_shifted_done_is_believed_only_within_the_tolerance(shift_ns: int) -> None:
    """The claim may lie between the last event before it and its arrival, and at most so far before that."""
    event, seen_ns = honest()[-1].event, honest()[-1].seen_ns
    forged = Told(Event(event.t_ns + shift_ns, "done"), seen_ns, seen_ns)
    believed = not list(telling.untrue(changed(7, forged), GO_NS))
    assert believed == (max(1_400 * MS, seen_ns - TOLERANCE_NS) <= event.t_ns + shift_ns <= seen_ns)


def test_a_host_that_was_kept_from_looking_does_not_take_an_honest_worker_for_a_liar() -> None:
    """Seen on a busy machine: an event came 0.535 s after its date, because nobody had looked meanwhile."""
    event, late_ns = honest()[-1].event, 3_000 * MS
    waited = Told(event, event.t_ns + late_ns, event.t_ns - MS)
    assert list(telling.untrue(changed(7, waited), GO_NS)) == []
    looked = Told(event, event.t_ns + late_ns, event.t_ns + TOLERANCE_NS + MS)
    assert (
        "done had not come 0.501 s after its date"
        in next(iter(telling.untrue(changed(7, looked), GO_NS))).message
    )


def cpu(use: Callable[[float], float]) -> list[Series]:
    """Readings every 100 ms from the attaching at 0.95 s to 3 s."""
    t_s = np.arange(0.95, 3.0, 0.1)
    return [Series(ProcessMeter.channels[0], (t_s * 1e9).astype(np.int64), np.array([use(t) for t in t_s]))]


def found(series: list[Series], recorded: bool = False) -> list[str]:
    return [one.message for one in telling.worked_outside(series, 1_500 * MS, 1_700 * MS, recorded)]


def test_cpu_time_inside_the_window_and_an_interpreter_s_end_are_no_trouble() -> None:
    assert found(cpu(lambda t: 0.2 + 2 * min(max(t - 1.0, 0), 0.5) + 0.5 * max(t - 1.7, 0))) == []
    assert found([]) == [], "without readings nothing is known"


@pytest.mark.parametrize(
    ("use", "when"),
    [
        (lambda t: 2.5, "before go"),
        (lambda t: 0.2 + 4 * max(t - 1.0, 0), "after it said done"),
        (lambda t: 0.2 + 8 * max(t - 1.7, 0), "while it ended"),
    ],
)
def test_work_outside_the_window_is_seen(use: Callable[[float], float], when: str) -> None:
    (message,) = found(cpu(use))
    assert when in message
    assert found(cpu(use), recorded=True) == ([] if when == "while it ended" else [message])
