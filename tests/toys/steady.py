"""A meter of a machine that always draws the same: a file of harness/meters."""

from __future__ import annotations

import time

from harness.meters.base import MeterConfiguration, Reader
from harness.records import Channel, ChannelKind, Provenance, Unavailable

POWER_W = 25.0
CHANNEL = Channel(
    name="steady/machine", meter="steady", unit="J", kind=ChannelKind.COUNTER, provenance=Provenance.SIMULATED,
    domain="machine", boundary=True,
)  # fmt: skip


class SteadyMeter:
    channels = (CHANNEL,)
    period_s = None
    needs_process = False

    def open(self, pid: int | None) -> Reader:
        return lambda: {CHANNEL.name: POWER_W * time.monotonic()}


def find(configuration: MeterConfiguration) -> SteadyMeter | Unavailable:
    return SteadyMeter()
