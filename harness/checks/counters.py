"""Whether the meters can be right: physics bounds what counters and gauges of energy may show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.energy.plausible import STOOD_STILL, Breach, at_rest, breaches, longest_rest, usual_period_s
from harness.energy.series import Series, seconds
from harness.findings.codes import Code, Severity
from harness.records import Channel, ChannelKind, Finding

REPEATED_S = 60.0  # four times the longest in the published logs of GPUs


def counter_impossible(series: Sequence[Series], begin_ns: int, end_ns: int) -> Iterable[Finding]:
    """Readings that imply negative power, or more than the domain can draw (harness.energy.power_limits)."""
    for one in series:
        found = [breach for breach in _inside(one, begin_ns, end_ns) if breach.why != STOOD_STILL]
        if found:
            yield Finding.of(
                Code.COUNTER_IMPOSSIBLE, _told(found, begin_ns), severity=_severity(one.channel, series)
            )


def counter_stood_still(series: Sequence[Series], begin_ns: int, end_ns: int) -> Iterable[Finding]:
    """An addend that did not move for far longer than it takes: its joules are missing, not 0."""
    for one in series:
        found = [breach for breach in _inside(one, begin_ns, end_ns) if breach.why == STOOD_STILL]
        whole = at_rest(one, begin_ns, end_ns)
        if stood := ([whole] if whole else found):
            yield Finding.of(Code.COUNTER_STOOD_STILL, _stood(one, stood, begin_ns, end_ns))


def power_repeats(series: Sequence[Series], begin_ns: int, end_ns: int) -> Iterable[Finding]:
    """A gauge in the run's energy that repeats one value for a minute: steady power can, a sensor that hangs does."""
    for one in series:
        if not one.channel.boundary or one.channel.kind is not ChannelKind.GAUGE:
            continue
        first_ns, last_ns = longest_rest(one, begin_ns, end_ns)
        if (rest_s := seconds(first_ns, last_ns)) >= REPEATED_S:
            yield Finding.of(
                Code.POWER_REPEATS,
                f"{one.channel.name} showed the very same power for {rest_s:.0f} s, "
                f"from {seconds(begin_ns, first_ns):.0f} s into the run on",
            )


def _inside(series: Series, begin_ns: int, end_ns: int) -> list[Breach]:
    return [one for one in breaches(series) if one.overlaps(begin_ns, end_ns)]


def _severity(channel: Channel, series: Sequence[Series]) -> Severity:
    """A meter that gives the run's energy is not believed in part; any other is a second opinion."""
    energetic = {one.channel.meter for one in series if one.channel.boundary}
    return Severity.INVALID if channel.meter in energetic else Severity.WARNING


def _told(found: Sequence[Breach], begin_ns: int) -> str:
    one, more = found[0], len(found) - 1
    unit = one.channel.unit
    return (
        f"{one.channel.name} went from {one.before:.10g} {unit} to {one.after:.10g} {unit} "
        f"{seconds(begin_ns, one.begin_ns):.2f} to {seconds(begin_ns, one.end_ns):.2f} s into the run, "
        f"which implies {one.power_w:.4g} W: {one.why}" + (f" ({more} more such readings)" if more else "")
    )


def _stood(series: Series, stood: Sequence[Breach], begin_ns: int, end_ns: int) -> str:
    spans = [(max(one.begin_ns, begin_ns), min(one.end_ns, end_ns)) for one in stood]
    first = seconds(begin_ns, spans[0][0])
    still_s = sum(seconds(*span) for span in spans)
    return (
        f"{series.channel.name} stood still at {stood[0].before:.10g} {series.channel.unit} for {still_s:.1f} s "
        f"of the run, from {first:.2f} s on; it usually moves every {usual_period_s(series):.2g} s"
    )
