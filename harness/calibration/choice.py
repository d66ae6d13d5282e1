"""Which calibration counts where; pure.

One counts on the machine, with the settings and with the boundary of energy that it was made with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from harness.analysis import same_measurement
from harness.calibration.records import Calibrated, KeptCalibration
from harness.records import Channel, Plan


def changes(one: Calibrated, described: Mapping[str, Any], channels: tuple[Channel, ...]) -> Iterator[str]:
    """What keeps a calibration from counting."""
    yield from same_measurement.changed_machine(one, described, channels)
    before, now = (each.get("settings") or {} for each in (one.machine, described))
    yield from (name for name in sorted({*before, *now}) if before.get(name) != now.get(name))
    if _sources(one.channels) != _sources(channels):
        yield "what the joules come from"


def _sources(channels: Iterable[Channel]) -> set[tuple[str, str, str]]:
    return {(one.meter, one.unit, str(one.provenance)) for one in channels if one.boundary}


def choose(
    made: Iterable[Calibrated], described: Mapping[str, Any], channels: tuple[Channel, ...], plan: Plan,
    isolation: str,
) -> KeptCalibration:  # fmt: skip
    """The one that counts for a plan here: of its own work and isolation where there is one, then the latest."""
    made = sorted(made, key=lambda one: one.calibration.created)
    devices = sorted({one.device for one in plan.treatments})
    fitting = [one for one in made if one.calibration.treatment.device in devices]
    counting = [one.calibration for one in fitting if not list(changes(one, described, channels))]
    if not counting:
        last = [f"{', '.join(changes(one, described, channels))} changed" for one in fitting[-1:]]
        none = f"none was made on {' or '.join(devices)}"
        why = f"the last one does not count here: {last[0]}" if last else none
        return KeptCalibration(calibration=None, reason=why if made else "")
    workloads = {one.workload for one in plan.treatments}
    return KeptCalibration(
        calibration=max(
            counting,
            key=lambda one: (one.treatment.workload in workloads, one.isolation == isolation, one.created),
        )
    )
