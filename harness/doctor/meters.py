"""What can be read here: a line a meter, and the idle power now."""

from __future__ import annotations

import time
from collections.abc import Iterator

from harness import meters
from harness.campaign import cool_down
from harness.doctor.check import Check, Level, judged
from harness.meters import Meters
from harness.planning import planner
from harness.records import Provenance

LOOK_S = 2.0
WHY = "energy comes from here; without any meter it is a stated model's estimate"
NEVER_MISSED = ("pyrapl",)  # a second opinion


def checks() -> Iterator[Check]:
    found = meters.find_all(meters.configuration(planner.protocol("quick").power_model))
    yield from of(found)
    yield energy(found)
    yield idle_power(found)


def of(found: Meters) -> Iterator[Check]:
    for meter in found.found:
        names = ", ".join(f"{one.name} [{one.unit}, {one.provenance}]" for one in meter.channels)
        yield Check(f"meter {meter.channels[0].meter}", Level.OK, names, WHY)
    for one in found.unavailable:
        yield judged(f"meter {one.meter}", one.meter in NEVER_MISSED, one.reason, WHY, one.remedy)


def energy(found: Meters) -> Check:
    """Whether anything measures, rather than estimates."""
    why = "estimated joules are never compared with measured ones"
    addends = [channel for channel in found.channels if channel.boundary]
    if any(one.provenance is not Provenance.ESTIMATED for one in addends):
        return Check("energy", Level.OK, found.boundary, why)
    return Check(
        "energy", Level.MISSING, found.boundary or "none", why, "see the meters above for what each lacks"
    )


def idle_power(found: Meters) -> Check:
    """Watts inside the boundary over two seconds, from meters that see the idle machine."""
    why, name = "what a run draws above it is the run's; a machine that idles high is not idle", "idle power"
    if not found.see_the_idle_machine or not found.boundary:
        return Check(name, Level.WORSE, "unknown: nothing here reads it", why)
    looks = []
    readers = [meter.open(None) for meter in found.found if not meter.needs_process]
    for _ in range(2):
        looks.append((time.monotonic_ns(), {k: v for read in readers for k, v in read().items()}))
        time.sleep(LOOK_S if len(looks) == 1 else 0)
    power_w = cool_down.power_between(looks[0], looks[1], found.channels)
    return Check(name, Level.OK, "unknown" if power_w is None else f"{power_w:.1f} W now", why)
