"""Whether the machine has come to rest before the next run: a criterion, not a sleep (rule R22); pure but for waiting.

A fixed pause lets hot machines start hot: in the raw data of ICSE'22, 198 of 216 later runs started above twice the
first run's GPU power despite 60 s of sleep.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.counters import growth_between
from harness.energy.joules import idle_power_w
from harness.energy.series import Series, seconds
from harness.findings.codes import Code
from harness.records import Channel, ChannelKind, CoolDown, Finding

LOOK_S = 2.0  # between two looks: power over less is noise

Readings = Mapping[str, float]
Look = tuple[int, Readings]  # CLOCK_MONOTONIC ns, and what the machine's meters read


@dataclass(frozen=True)
class Rest:
    """The machine at rest: watts inside the boundary, and degrees by channel."""

    power_w: float
    temperatures: Readings


def rest_of(series: Sequence[Series], channels: Sequence[Channel]) -> Rest | None:
    """From a baseline recording; None where it does not cover the boundary, so that nothing can be waited for."""
    power_w = idle_power_w(series, channels)
    temperatures = {
        one.channel.name: float(np.median(one.values)) for one in series if one.channel.unit == "degC"
    }
    return None if power_w is None else Rest(power_w, temperatures)


def power_between(before: Look, after: Look, channels: Sequence[Channel]) -> float | None:
    """Watts inside the boundary; None where an addend was not read twice, or its counter has not moved on yet."""
    total_w = 0.0
    for one in (channel for channel in channels if channel.boundary):
        if one.name not in before[1] or one.name not in after[1]:
            return None
        first, last = before[1][one.name], after[1][one.name]
        duration_s = seconds(getattr(first, "t_ns", before[0]), getattr(last, "t_ns", after[0]))
        if duration_s <= 0 or (one.kind is ChannelKind.COUNTER and first == last):
            return None
        if one.kind is ChannelKind.COUNTER:
            total_w += growth_between(first, last, one.wraps_at) / duration_s
        else:
            total_w += (first + last) / 2
    return total_w


def at_rest(power_w: float | None, temperatures: Readings, rest: Rest, rule: CoolDown) -> bool:
    """Within the rule's bands above the campaign's idle; cooler is at rest too."""
    if power_w is None or power_w > rest.power_w * (1 + rule.power_band):
        return False
    known = rest.temperatures.items()
    return all(
        temperatures.get(name, degrees) <= degrees + rule.temperature_band_k for name, degrees in known
    )


def _intervals(
    look: Callable[[], Look], channels: Sequence[Channel], rule: CoolDown, sleep: Callable[[float], None]
) -> Iterator[tuple[int, Look, float | None]]:
    """From when, the look that ends it, and the watts between; for as long as the rule waits at most.

    A meter that is slower than the looks tells with its next reading of all the time since its last.
    """
    before = after = first = look()
    while seconds(first[0], after[0]) < rule.at_most_s:
        sleep(min(LOOK_S, rule.at_least_s or LOOK_S))
        after = look()
        power_w = power_between(before, after, channels)
        if power_w is not None or not all(one.name in before[1] for one in channels if one.boundary):
            yield before[0], after, power_w
            before = after


def wait(
    look: Callable[[], Look],
    channels: Sequence[Channel],
    rest: Rest | None,
    rule: CoolDown,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Finding]:
    """Waits until the machine has been at rest for a while; a finding if it does not come to rest in time."""
    if rest is None or rule.at_most_s <= 0:
        return
    resting_since_ns = None
    for begin_ns, after, power_w in _intervals(look, channels, rule, sleep):
        if not at_rest(power_w, after[1], rest, rule):
            resting_since_ns = None
        elif resting_since_ns is None:
            resting_since_ns = begin_ns
        if resting_since_ns is not None and seconds(resting_since_ns, after[0]) >= rule.at_least_s:
            return
    yield Finding.of(
        Code.COOL_DOWN_TIMED_OUT,
        f"after {rule.at_most_s:g} s the machine was still above {rest.power_w:.4g} W, its power at rest",
    )
