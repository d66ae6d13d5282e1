"""The time between changes of a counter, from watching it, and how much that time varies."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from harness.meters.base import MeterConfiguration
from harness.meters.rapl import RaplMeter, find
from harness.meters.updates import Period, update_periods
from harness.records import PowerModel
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("harness.meters.updates.time", clock)
    return clock


class Clock:
    """A clock of which every look takes 0.1 ms: a busy machine cannot hold up what is watched by it."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        self.now_s += 0.0001
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.mark.parametrize("period_s", [0.005, 0.03])
def test_the_period_of_a_counter_is_the_median_time_between_its_changes(
    clock: Clock, period_s: float
) -> None:
    counters = {"moving": lambda: float(clock.now_s // period_s), "still": lambda: 7.0}
    found = update_periods(counters, watch_s=20 * period_s, poll_s=0)
    assert found["still"] is None
    assert isinstance(found["moving"], Period)
    assert found["moving"].seconds == pytest.approx(period_s, rel=0.02)
    assert found["moving"].jitter == pytest.approx(0.0, abs=0.05)


def test_a_poll_held_up_now_and_then_is_no_jitter(clock: Clock) -> None:
    """Every seventh change is seen a third of a period late."""
    period_s = 0.006
    late_s = {change: period_s / 3 for change in range(0, 40, 7)}
    changes_s = [(1 + change) * period_s + late_s.get(change, 0.0) for change in range(40)]
    found = update_periods({"one": counter_of(clock, changes_s)}, watch_s=0.2, poll_s=0)["one"]
    assert found is not None
    assert found.seconds == pytest.approx(period_s, rel=0.02)
    assert found.jitter == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("jitter", [0.2, 0.4])
def test_the_jitter_of_a_counter_is_measured(clock: Clock, jitter: float) -> None:
    gaps_s = 0.02 * np.maximum(0.1, 1 + jitter * np.random.default_rng(1).standard_normal(200))
    found = update_periods({"one": counter_of(clock, np.cumsum(gaps_s))}, watch_s=3.0, poll_s=0)["one"]
    assert found is not None
    assert found.jitter == pytest.approx(jitter, rel=0.4)


def counter_of(clock: Clock, changes_s: Iterable[float]) -> Callable[[], float]:
    times_s = list(changes_s)
    return lambda: float(bisect(times_s, clock.now_s))


def test_a_counter_that_changed_once_has_no_period(clock: Clock) -> None:
    assert update_periods({"once": counter_of(clock, [0.02])}, 0.05, poll_s=0.001) == {"once": None}


def test_too_few_changes_tell_no_jitter(clock: Clock) -> None:
    found = update_periods({"slow": lambda: float(clock.now_s // 0.03)}, 0.12, poll_s=0)["slow"]
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
