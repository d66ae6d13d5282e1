"""A stated power model in place of a missing meter: provenance `estimated`, never compared with measured joules.

power_w = idle_w + busy_cpu_w x busy logical CPUs: linear between idle and full load, the first-order model of
Fan, Weber and Barroso, "Power provisioning for a warehouse-sized computer" (ISCA 2007). The constants are not
this machine's: only differences between runs that the CPU time explains mean anything.
"""

from __future__ import annotations

import time

from harness.meters.base import MeterConfiguration, Reader, Readings
from harness.meters.process import Tree
from harness.records import Channel, ChannelKind, Provenance, Unavailable

CHANNEL = "estimate/cpu"


def find(configuration: MeterConfiguration) -> EstimateMeter | Unavailable:
    return EstimateMeter(configuration)


class EstimateMeter:
    """A counter in joules from the run's own CPU seconds and the time that passes."""

    needs_process = True
    period_s = None

    def __init__(self, configuration: MeterConfiguration) -> None:
        self._model = configuration.power_model
        note = f"{self._model.idle_w:g} W idle + {self._model.busy_cpu_w:g} W per busy logical CPU"
        self.channels = (
            Channel(
                name=CHANNEL,
                meter="estimate",
                unit="J",
                kind=ChannelKind.COUNTER,
                provenance=Provenance.ESTIMATED,
                domain="cpu_model",
                boundary=True,
                note=note,
            ),
        )

    def open(self, pid: int | None) -> Reader:
        assert pid is not None
        tree = Tree(pid)

        def read() -> Readings:
            cpu_s = tree.cpu_s()
            if cpu_s is None:
                return {}
            return {CHANNEL: self._model.idle_w * time.monotonic() + self._model.busy_cpu_w * cpu_s}

        return read
