"""Watts while a run is measured, from what the sampling process has read anyway: for eyes only, never a result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from harness.campaign.cool_down import power_between
from harness.energy.joules import sum_provenances
from harness.records import Channel, Provenance
from harness.sampling.client import Latest

BEAT_S = 2.0  # power over less is noise

Listener = Callable[[float | None, Provenance | None], None]


class LivePower:
    """Tells `listener` the power inside the boundary, in watts, and what kind of number that is.

    Each channel counts between its own last two readings, as meters are read at different times. None where an
    addend has not been read twice, or where a sum would mix provenances (rule R40).
    """

    def __init__(self, latest: Callable[[], Latest], channels: Sequence[Channel], listener: Listener) -> None:
        self._latest, self._listener = latest, listener
        self._boundary = [channel for channel in channels if channel.boundary]
        found = sum_provenances(self._boundary)
        self._provenance = found.pop() if len(found) == 1 else None
        self._before = latest()
        self._watts: dict[str, float] = {}
        self._due_s = time.monotonic() + BEAT_S

    def beat(self) -> None:
        """To be called often: asks and tells when it is time."""
        if time.monotonic() < self._due_s:
            return
        self._due_s = time.monotonic() + BEAT_S
        latest = self._latest()
        for channel in self._boundary:
            self._update(channel, latest)
        self._before = latest
        self._listener(self._power_w(), self._provenance)

    def _update(self, channel: Channel, latest: Latest) -> None:
        """A meter slower than the beat keeps its watts until it is read again; one that fell silent loses them."""
        before, now = self._before.get(channel.name), latest.get(channel.name)
        if now is None:
            self._watts.pop(channel.name, None)
        elif before is not None:
            first, second = ((t_ns, {channel.name: value}) for t_ns, value in (before, now))
            if (power_w := power_between(first, second, [channel])) is not None:
                self._watts[channel.name] = power_w

    def _power_w(self) -> float | None:
        known = len(self._watts) == len(self._boundary) and self._provenance is not None
        return sum(self._watts.values()) if known else None
