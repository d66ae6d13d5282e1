"""The time between changes of a counter, from watching it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harness.meters.base import MeterSettings
from harness.meters.rapl import RaplMeter, find
from harness.meters.updates import update_periods_s
from harness.records import PowerModel
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant


@pytest.mark.parametrize("period_s", [0.005, 0.03])
def test_the_period_of_a_counter_is_the_median_time_between_its_changes(period_s: float) -> None:
    counters = {"moving": lambda: float(time.monotonic() // period_s), "still": lambda: 7.0}
    found = update_periods_s(counters, watch_s=20 * period_s, poll_s=0)
    assert found == {"moving": pytest.approx(period_s, rel=0.2), "still": None}


def test_a_counter_that_changed_once_has_no_period() -> None:
    begun_s = time.monotonic()
    found = update_periods_s({"once": lambda: float(time.monotonic() - begun_s > 0.02)}, 0.05, poll_s=0.001)
    assert found == {"once": None}


def test_rapls_period_is_about_a_millisecond(tmp_path: Path) -> None:
    """The emulator writes every millisecond, as RAPL does; other threads of this process delay it."""
    root = tmp_path / "powercap"
    with PowercapTree(root, [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]):
        meter = find(MeterSettings(root, PowerModel(idle_w=1, busy_cpu_w=1)))
    assert isinstance(meter, RaplMeter)
    (channel,) = meter.channels
    assert channel.update_s is not None
    assert 0.0005 < channel.update_s < 0.02
