"""The time between changes of a counter, from watching it, and how much that time varies."""

from __future__ import annotations

import time
from bisect import bisect
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.meters.base import MeterConfiguration
from harness.meters.rapl import RaplMeter, find
from harness.meters.updates import Period, update_periods
from harness.records import PowerModel
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant


@pytest.mark.parametrize("period_s", [0.005, 0.03])
def test_the_period_of_a_counter_is_the_median_time_between_its_changes(period_s: float) -> None:
    counters = {"moving": lambda: float(time.monotonic() // period_s), "still": lambda: 7.0}
    found = update_periods(counters, watch_s=20 * period_s, poll_s=0)
    assert found["still"] is None
    assert isinstance(found["moving"], Period)
    assert found["moving"].seconds == pytest.approx(period_s, rel=0.2)
    assert found["moving"].jitter == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("jitter", [0.2, 0.4])
def test_the_jitter_of_a_counter_is_measured(jitter: float) -> None:
    gaps_s = 0.02 * np.maximum(0.1, 1 + jitter * np.random.default_rng(1).standard_normal(200))
    found = update_periods({"one": changing_after(gaps_s)}, watch_s=3.0, poll_s=0)["one"]
    assert found is not None
    assert found.jitter == pytest.approx(jitter, rel=0.4)


def changing_after(gaps_s: np.ndarray) -> Callable[[], float]:
    changes_s = (time.monotonic() + np.cumsum(gaps_s)).tolist()
    return lambda: float(bisect(changes_s, time.monotonic()))


def test_a_counter_that_changed_once_has_no_period() -> None:
    begun_s = time.monotonic()
    found = update_periods({"once": lambda: float(time.monotonic() - begun_s > 0.02)}, 0.05, poll_s=0.001)
    assert found == {"once": None}


def test_too_few_changes_tell_no_jitter() -> None:
    found = update_periods({"slow": lambda: float(time.monotonic() // 0.03)}, 0.12, poll_s=0)["slow"]
    assert found is not None
    assert found.jitter is None


def test_rapls_period_is_about_a_millisecond(tmp_path: Path) -> None:
    """The emulator writes every millisecond, as RAPL does; other threads of this process delay it."""
    root = tmp_path / "powercap"
    with PowercapTree(root, [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]):
        meter = find(MeterConfiguration(root, PowerModel(idle_w=1, busy_cpu_w=1)))
    assert isinstance(meter, RaplMeter)
    (channel,) = meter.channels
    assert channel.update_s is not None
    assert 0.0005 < channel.update_s < 0.02
    assert channel.update_jitter is not None
