"""Energy and state of Intel's GPUs through the kernel's hwmon; not validated on hardware (docs/meters.md).

The kernel accumulates the register, of 32 bits, at each reading: it misses a wrap if nobody reads for 262 kJ.
"""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from harness.meters.base import EMULATOR_MARK, MeterConfiguration, MeterLost, Reader, Readings
from harness.meters.counter_trial import Trial, Tried, trials
from harness.meters.gpu_chips import Card, cards, first, hwmon_root, number, text
from harness.meters.gpu_vendor import ForeignProcess
from harness.records import Channel, ChannelKind, Provenance, Unavailable

__all__ = ["METER", "IntelMeter", "facts", "find", "foreign_processes", "lacking", "states"]

METER = "intel"
MICRO, MILLI = 1e-6, 1e-3
WATCH_S = 1.5
POLL_S = 0.001
REMEDY = "see the kernel's log for i915 or xe; power the machine off and on"
ENERGY = "energy"
PASSING = (errno.EAGAIN, errno.EBUSY, errno.ENODATA, errno.ETIMEDOUT)
# Gauge -> unit, scale, the files that tell it, in hwmon or on the PCI bus.
CLOCK = ("tile0/gt0/freq0/act_freq", "drm/card*/gt/gt0/rps_act_freq_mhz", "drm/card*/gt_act_freq_mhz")
CLOCK_LIMIT = ("tile0/gt0/freq0/max_freq", "drm/card*/gt/gt0/rps_max_freq_mhz", "drm/card*/gt_max_freq_mhz")
LIMIT = ("power1_max", "power2_max")  # of the card, of its package; 0 where there is none
HEAT = ("temp2_input", "temp1_input")  # of the package, where it is told
GAUGES = {
    "sm_clock": ("MHz", 1.0, CLOCK),
    "temperature": ("degC", MILLI, HEAT),
    "power_limit": ("W", MICRO, LIMIT),
}


def find(configuration: MeterConfiguration) -> IntelMeter | Unavailable:
    """The meter over all cards, or why there is none: nothing is measured in part."""
    found = cards(configuration.hwmon_root)
    if not found:
        return _none(configuration.hwmon_root)
    try:
        tried = {card.address: Tried(partial(_joules, card), None, lambda: None) for card in found}
        tries = trials(tried, WATCH_S, POLL_S)
    except (OSError, ValueError) as error:
        return _unread(f"a card's energy cannot be read: {error}", "let your group read it (a udev rule)")
    for address, trial in tries.items():
        if trial.fault:
            return _unread(f"the energy counter of {address} is not believed: {trial.fault}", REMEDY)
    simulated = (configuration.hwmon_root / EMULATOR_MARK).exists()
    return IntelMeter(found, tries, Provenance.SIMULATED if simulated else Provenance.MEASURED)


def _unread(reason: str, remedy: str) -> Unavailable:
    return Unavailable(meter=METER, reason=reason, remedy=remedy)


def _none(root: Path) -> Unavailable:
    return _unread(
        f"no card of Intel's has an energy counter under {root}",
        "if the machine has one, use Linux 6.2 (i915) or 6.8 (xe), or newer",
    )


def _joules(card: Card) -> float:
    return int(card.counter.read_text()) * MICRO


class IntelMeter:
    """Channels intel/gpu-N/...: a counter in joules, gauges of state."""

    needs_process = False

    def __init__(self, found: list[Card], tries: dict[str, Trial], provenance: Provenance) -> None:
        self._cards, self._tries, self._provenance = found, tries, provenance
        self.channels = tuple(
            channel for number, card in enumerate(found) for channel in self._of(number, card)
        )

    @property
    def period_s(self) -> float | None:
        """The fastest counter's own: readings in between repeat it (rule R9)."""
        return min((one.period.seconds for one in self._tries.values() if one.period), default=None)

    def _of(self, number: int, card: Card) -> Iterator[Channel]:
        period, note = self._tries[card.address].period, f"{card.driver} at {card.address}"
        counter = self._channel(f"gpu-{number}/{ENERGY}", "J", f"{note}: {card.counter.name}")
        yield counter.model_copy(
            update={
                "kind": ChannelKind.COUNTER,
                "boundary": True,
                "resolution": MICRO,
                "update_s": period.seconds if period else None,
                "update_jitter": period.jitter if period else None,
            }
        )
        for name, (unit, _, _) in GAUGES.items():
            if _gauge(card, name) is not None:
                yield self._channel(f"gpu-{number}/{name}", unit, note)

    def _channel(self, name: str, unit: str, note: str) -> Channel:
        return Channel(
            name=f"{METER}/{name}",
            meter=METER,
            unit=unit,
            kind=ChannelKind.GAUGE,
            provenance=self._provenance,
            domain="gpu",
            note=note,
        )

    def open(self, pid: int | None) -> Reader:
        return self._read

    def _read(self) -> Readings:
        """The counters of all cards first."""
        readings = {f"gpu-{number}/{ENERGY}": _energy(card) for number, card in enumerate(self._cards)}
        readings |= {
            f"gpu-{number}/{name}": _gauge(card, name)
            for number, card in enumerate(self._cards)
            for name in GAUGES
        }
        return {f"{METER}/{name}": value for name, value in readings.items() if value is not None}


def _energy(card: Card) -> float | None:
    try:
        return _joules(card)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) in PASSING:
            return None
        raise MeterLost(f"{card.address} stopped answering: {error}") from error


def _gauge(card: Card, name: str) -> float | None:
    """None where it is not told; a limit of 0 is none."""
    _, scale, patterns = GAUGES[name]
    file = first(card.chip, *patterns) or first(card.device, *patterns)
    found = number(file) if file else None
    return found * scale if found else None


def lacking() -> Unavailable | None:
    """Why nobody can compute on a card here; None where there is one."""
    return None if cards(hwmon_root()) else _none(hwmon_root())


def facts() -> dict[str, Any]:
    """Each card as sysfs tells; empty without one."""
    found = cards(hwmon_root())
    if not found:
        return {}
    simulated = (hwmon_root() / EMULATOR_MARK).exists()
    return {"simulated": simulated, "gpus": [_facts(index, card) for index, card in enumerate(found)]}


def _facts(index: int, card: Card) -> dict[str, Any]:
    vendor, device = (text(card.device / name).removeprefix("0x") for name in ("vendor", "device"))
    return {
        "index": index,
        "name": f"Intel GPU {vendor}:{device}",
        "uuid": card.address,
        "driver": card.driver,
        "power_limit_w": _gauge(card, "power_limit"),
        "energy_counter": True,
    }


def states() -> list[dict[str, Any]]:
    """What may differ from run to run on each card, None for what is not told."""
    return [_state(card) for card in cards(hwmon_root())]


def _state(card: Card) -> dict[str, Any]:
    limit = first(card.device, *CLOCK_LIMIT)
    return {
        "uuid": card.address,
        "persistence_mode": None,  # NVIDIA's
        "power_limit_w": _gauge(card, "power_limit"),
        "sm_clock_mhz": _gauge(card, "sm_clock"),
        "memory_clock_mhz": None,
        "sm_clock_limit_mhz": number(limit) if limit else None,
    }


def foreign_processes(own_pids: Collection[int]) -> tuple[ForeignProcess, ...] | None:
    """The kernel tells a user of none but their own processes."""
    return None
