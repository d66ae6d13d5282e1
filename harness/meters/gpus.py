"""The GPUs of this machine, whoever made them: the only way from outside this folder to a vendor's library."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from harness.meters import amd, intel, nvml
from harness.meters.base import MeterLost
from harness.meters.gpu_vendor import ForeignProcess as ForeignProcess
from harness.meters.gpu_vendor import GpuVendor as GpuVendor

VENDORS: Mapping[str, GpuVendor] = {"nvidia": nvml, "amd": amd, "intel": intel}


def facts() -> dict[str, Any]:
    """The drivers and all GPUs, JSON types only; of two vendors' drivers, the first one's. Empty without any."""
    told = [found for vendor in VENDORS.values() if (found := vendor.facts())]
    drivers = {key: value for one in reversed(told) for key, value in one.items()}
    return drivers | {"gpus": [gpu for one in told for gpu in one["gpus"]]} if told else {}


def states() -> list[dict[str, Any]]:
    """What may differ from run to run, of each GPU."""
    return [state for vendor in VENDORS.values() for state in vendor.states()]


def foreign_processes(meters: Collection[str], own_pids: Collection[int]) -> Iterator[ForeignProcess]:
    """Who else computes on the GPUs that these meters read.

    A meter that is lost tells of nobody: the sampling process meets the same failure, and the run is judged by that.
    """
    for vendor in VENDORS.values():
        if vendor.METER in meters:
            try:
                yield from vendor.foreign_processes(own_pids) or ()
            except MeterLost:
                continue
