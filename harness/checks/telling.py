"""Whether a worker's own word of its run can be true: held against the host's clock and the CPUs that it used.

A worker that could tell its own time would tell its own energy: the window ends with its word, `done`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from harness.checks.results_told import missing, words
from harness.energy.series import NS_PER_S, Series
from harness.findings.codes import Code
from harness.meters.process import CPU_TIME
from harness.records import Finding
from harness.worker.follow import Told

LATENESS_ALLOWED_S = 0.5  # from an event's date to the host's last look that did not find it yet
# A worker starts Python and imports nothing but the standard library before "go": 0.06 to 0.14 s.
CPU_BEFORE_GO_ALLOWED_S = 1.0
CPU_UNTIL_BYE_ALLOWED_S = 0.25  # threads of a pool spin for some milliseconds after a call
CPU_AFTER_BYE_ALLOWED_S = 5.0  # interpreters take 0.1 to 1.2 s to end
ONCE = ("work", "facts", "usage")


def untrue(told: Sequence[Told], go_ns: int) -> Iterable[Finding]:
    """Of a run that came to its `done`: the first thing that no honest worker tells, if there is any."""
    for wrong in _wrong(told, go_ns):
        yield Finding.of(Code.UNTRUE_EVENTS, wrong)
        return


def _wrong(told: Sequence[Told], go_ns: int) -> Iterator[str]:
    kinds = [one.event.kind for one in told]
    for kind in ("ready", "done"):
        if kinds.count(kind) != 1:
            yield f"the worker told {kind} {kinds.count(kind)} times"
    if kinds[0] != "ready":
        yield f"the worker told {kinds[0]} before ready"
    if kinds[-1] != "done":
        yield f"the worker told {kinds[-1]} after it was done"
    yield from (f"the worker told its {kind} more than once" for kind in ONCE if kinds.count(kind) > 1)
    yield from _wrong_times(told, go_ns)
    yield from _wrong_phases(told)


def _wrong_times(told: Sequence[Told], go_ns: int) -> Iterator[str]:
    last_ns = 0
    for one in told:
        kind, t_ns = one.event.kind, one.event.t_ns
        late_s = (one.since_ns - t_ns) / NS_PER_S
        if late_s > LATENESS_ALLOWED_S:
            yield f"{kind} had not come {late_s:.3f} s after its date; at most {LATENESS_ALLOWED_S:g} s can be true"
        if t_ns > one.seen_ns:
            yield f"{kind} came {(t_ns - one.seen_ns) / NS_PER_S:.3f} s before its date"
        if t_ns < last_ns:
            yield f"{kind} is dated before the event that came before it"
        if (kind == "ready") != (t_ns < go_ns):
            yield f"{kind} is dated {'after' if kind == 'ready' else 'before'} go"
        last_ns = t_ns


def _wrong_phases(told: Sequence[Told]) -> Iterator[str]:
    """Each ends before another begins, else its time would count twice, and all end."""
    opened: tuple[str, int | None] | None = None
    for event in (one.event for one in told if one.event.kind == "phase"):
        phase = event.data["name"], event.data.get("epoch")
        if event.data["edge"] == "begin":
            if opened:
                yield f"phase {phase[0]} begins before {opened[0]} has ended"
                return
            opened = phase
        elif phase != opened:
            yield f"phase {phase[0]} ends where it is not the one that is open"
            return
        else:
            opened = None
    if opened:
        yield f"phase {opened[0]} has no end"


def untold(told: Sequence[Told], stage: str) -> Iterable[Finding]:
    """A run that trains or infers and does not say what it did and how well is not the work that was asked for."""
    if names := missing({one.event.kind for one in told}, stage):
        yield Finding.of(Code.UNTOLD_RESULTS, words(names))


def not_judged(why: str) -> Iterable[Finding]:
    """A run whose answers nobody can judge has no quality. `why`: empty where they were judged, or need not be."""
    if why:
        yield Finding.of(Code.UNTOLD_RESULTS, why)


def cpu_before_s(series: Sequence[Series]) -> float | None:
    """CPU seconds that the run's processes had used when they were first read, which is before go."""
    cpu = _cpu(series)
    return None if cpu is None else float(cpu.values[0])


def cpu_after_s(series: Sequence[Series], begin_ns: int, end_ns: int | None = None) -> float | None:
    """CPU seconds that they surely used between two moments: only readings inside count."""
    cpu = _cpu(series)
    if cpu is None:
        return None
    inside = cpu.values[(cpu.t_ns >= begin_ns) & (cpu.t_ns <= (cpu.t_ns[-1] if end_ns is None else end_ns))]
    return float(inside[-1] - inside[0]) if len(inside) else 0.0


def worked_outside(
    series: Sequence[Series], done_ns: int, bye_ns: int, recorded: bool = False
) -> Iterable[Finding]:
    """Work before "go" or after "done" is work that nobody measures.

    `recorded`: by a profiler within the run, which frees what it has of every call while the run ends: that is never
    compared, and takes as long as it takes.
    """
    looks = (
        ("before go", cpu_before_s(series), CPU_BEFORE_GO_ALLOWED_S),
        ("after it said done", cpu_after_s(series, done_ns, bye_ns), CPU_UNTIL_BYE_ALLOWED_S),
        ("while it ended", cpu_after_s(series, bye_ns), inf if recorded else CPU_AFTER_BYE_ALLOWED_S),
    )
    for when, cpu_s, allowed_s in looks:
        if cpu_s is not None and cpu_s > allowed_s:
            yield Finding.of(
                Code.WORKED_OUTSIDE,
                f"the run's processes used {cpu_s:.2f} s of CPU {when}; {allowed_s:g} s are plausible",
            )


def _cpu(series: Sequence[Series]) -> Series | None:
    return next((one for one in series if one.channel.name == CPU_TIME and len(one.t_ns)), None)
