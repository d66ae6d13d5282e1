"""What a log of power readings leaves unseen of a run: slow sampling, gaps, and time before and after."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness.energy.series import NS_PER_S, Floats, Ints, Series
from harness.findings.codes import Code, Severity
from harness.records import Channel, ChannelKind, Finding, Provenance

ASKED_S = 1.0  # between readings, in the rules of MLPerf's power measurements
LATE = 1.5  # times that: what still is a reading a second
MUCH = 0.01  # of the run inside gaps: a warning


def gauge(meter: str, name: str, t_ns: Ints, powers_w: Floats, note: str = "") -> Series:
    """Watts of a whole system at the log's own time stamps, an addend of the run's energy."""
    channel = Channel(
        name=f"{meter}/{name}", meter=meter, unit="W", kind=ChannelKind.GAUGE, provenance=Provenance.MEASURED,
        domain="system", boundary=True, note=note,
    )  # fmt: skip
    return Series(channel, t_ns, powers_w)


def uncovered(one: Series, begin_ns: int, end_ns: int) -> str:
    """Why the readings do not enclose the run; empty where they do."""
    if not len(one.t_ns):
        return f"{one.channel.name} has no reading"
    late_s = (int(one.t_ns[0]) - begin_ns) / NS_PER_S
    early_s = (end_ns - int(one.t_ns[-1])) / NS_PER_S
    if late_s > 0:
        return f"{one.channel.name} begins {late_s:.1f} s after the run"
    return f"{one.channel.name} ends {early_s:.1f} s before the run" if early_s > 0 else ""


def gaps(one: Series, begin_ns: int, end_ns: int) -> Iterator[Finding]:
    """One finding where readings inside the run lie further apart than asked."""
    inside = one.t_ns[(one.t_ns >= begin_ns) & (one.t_ns <= end_ns)]
    steps_s = np.diff(inside) / NS_PER_S
    late = steps_s > LATE * ASKED_S
    if not late.any():
        return
    typical_s = float(np.median(steps_s))
    holes_s = steps_s[steps_s > 2 * max(typical_s, ASKED_S)]
    share = float(holes_s.sum()) * NS_PER_S / (end_ns - begin_ns)
    yield Finding.of(
        Code.POWER_GAPS,
        f"{one.channel.name}: a reading every {typical_s:.2f} s where {ASKED_S:g} s is asked for, and "
        f"{len(holes_s)} gaps of up to {steps_s.max():.1f} s, which hold {share:.1%} of the run",
        severity=Severity.WARNING if share > MUCH or typical_s > LATE * ASKED_S else Severity.INFO,
    )
