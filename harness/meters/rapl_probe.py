"""A short look at running counters: which ones stand still, and which ones show one register twice.

AMD has one energy register per package, but kernels 6.10 and 6.11 made a zone of every die, so that 16 zones stood
for two sockets; on Intel's Cascade Lake-AP the dies of a package really have a register each (rule R3). Equal
increments alone do not tell them apart: two idle dies draw nearly the same. One register read through two zones also
shows one value: what the second shows lies between two readings of the first, again after the counters ran on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.counters import growth_between
from harness.meters.rapl_zones import ADDENDS, PACKAGE, PLATFORM, UJ_PER_J, Zone
from harness.meters.updates import Period, update_periods

AT_LEAST_S = 0.1  # counters that differ by 1 W drift apart by 0.1 J, far over the energy of one reading
AT_MOST_S = 1.0  # RAPL updates every millisecond (Intel SDM volume 3, 15.10): one that stands so long is dead
POLL_S = 0.01
WATCH_S = 0.05  # without a pause: RAPL's own period is a millisecond
UPDATE_S = 0.002  # two registers' copies may be this far apart in time

Values = Mapping[str, float]


@dataclass(frozen=True)
class Probe:
    """What start-up has shown, by label.

    Counters that did not move, counters that repeat another's register (repeater -> original), the time between
    changes where it could be told, and the psys that grew by more than the packages.
    """

    constant: frozenset[str]
    repeats: Mapping[str, str]
    updates: Mapping[str, Period | None]
    fed: frozenset[str]


@dataclass(frozen=True)
class _Look:
    """All addends twice in a row, in microjoules."""

    before: Mapping[str, int]
    after: Mapping[str, int]


def standing_still(read: Callable[[], Values], at_most_s: float = AT_MOST_S) -> frozenset[str]:
    """The counters that do not change; returns as soon as each has, after AT_LEAST_S."""
    began_s = time.monotonic()
    first = read()
    while True:
        time.sleep(POLL_S)
        still = frozenset(name for name, value in read().items() if value == first[name])
        elapsed_s = time.monotonic() - began_s
        if elapsed_s >= at_most_s or (not still and elapsed_s >= AT_LEAST_S):
            return still


def probe(zones: Sequence[Zone], packages: int) -> Probe:
    """`packages` is the number of physical ones; where zones are no more than these, none can be a repeater."""
    addends = [zone for zone in zones if zone.domain in ADDENDS]
    platforms = [zone for zone in zones if zone.domain == PLATFORM]
    platforms_before, began_s, begin = _values(platforms), time.monotonic(), _look(addends)
    constant = standing_still(lambda: _values(addends))
    end, elapsed_s, platforms_after = _look(addends), time.monotonic() - began_s, _values(platforms)
    repeats: dict[str, str] = {}
    for domain in ADDENDS:
        moving = [zone for zone in addends if zone.domain == domain and zone.label not in constant]
        if len(moving) > packages:
            repeats |= _repeats(moving, (begin, end), elapsed_s)
    counters = {zone.label: zone.energy_uj for zone in zones if zone.label not in constant}
    packages_uj = sum(
        _growth_uj(zone, begin.before, end.after)
        for zone in addends
        if zone.domain == PACKAGE and zone.label not in repeats
    )
    fed = {
        one.label for one in platforms if _growth_uj(one, platforms_before, platforms_after) >= packages_uj
    }
    return Probe(constant, repeats, update_periods(counters, WATCH_S, poll_s=0), frozenset(fed))


def _growth_uj(zone: Zone, before: Mapping[str, int], after: Mapping[str, int]) -> float:
    return growth_between(before[zone.label], after[zone.label], round(zone.range_j * UJ_PER_J))


def _values(zones: Sequence[Zone]) -> dict[str, int]:
    return {zone.label: zone.energy_uj() for zone in zones}


def _look(zones: Sequence[Zone]) -> _Look:
    return _Look(_values(zones), _values(zones))


def _repeats(zones: Sequence[Zone], looks: tuple[_Look, _Look], elapsed_s: float) -> dict[str, str]:
    originals: list[Zone] = []
    found: dict[str, str] = {}
    for zone in zones:
        original = next((one for one in originals if _same_register(one, zone, looks, elapsed_s)), None)
        if original is None:
            originals.append(zone)
        else:
            found[zone.label] = original.label
    return found


def _same_register(first: Zone, second: Zone, looks: tuple[_Look, _Look], elapsed_s: float) -> bool:
    """`second` is read after `first` in every pass: its value lies between two passes' values of `first`."""
    if first.range_j != second.range_j:
        return False
    modulus = round(first.range_j * UJ_PER_J)
    begin, end = looks
    growth = _growth_uj(first, begin.before, end.before)
    slack = round(growth * UPDATE_S / elapsed_s)

    def enclosed(look: _Look) -> bool:
        width = growth_between(look.before[first.label], look.after[first.label], modulus)
        place = growth_between(look.before[first.label] - slack, look.before[second.label], modulus)
        return place <= width + 2 * slack

    return all(enclosed(look) for look in looks)
