"""Emulated GPUs as the NVML meter answers for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from harness.meters import nvml
from harness.meters.base import MeterConfiguration, Readings
from harness.records import Channel, PowerModel, Unavailable
from tests.emulators.nvml.stub import NvmlStub

SETTINGS = MeterConfiguration(Path("/nowhere"), PowerModel(idle_w=10, busy_cpu_w=5))
LOAD = ((1.0, 300.0),)
MakeStub = Callable[..., NvmlStub]


def found() -> nvml.NvmlMeter:
    meter = nvml.find(SETTINGS)
    assert isinstance(meter, nvml.NvmlMeter)
    return meter


def unavailable() -> Unavailable:
    answer = nvml.find(SETTINGS)
    assert isinstance(answer, Unavailable)
    assert answer.meter == "nvml"
    assert answer.remedy
    return answer


def channels() -> dict[str, Channel]:
    return {channel.name.removeprefix("nvml/"): channel for channel in found().channels}


def sampled(seconds: float, period_s: float = 0.02) -> pd.DataFrame:
    """Readings of every channel over a while, by CLOCK_MONOTONIC ns."""
    read, rows, end = found().open(None), {}, time.monotonic() + seconds
    while time.monotonic() < end:
        readings: Readings = read()
        rows[time.monotonic_ns()] = readings
        time.sleep(period_s)
    return pd.DataFrame.from_dict(rows, orient="index").rename(
        columns=lambda name: name.removeprefix("nvml/")
    )
