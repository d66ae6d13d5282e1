"""A run that stood still for seconds is invalid; a control run rests by its plan, and a GPU works without the CPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness.checks import Evidence, of_a_run
from harness.checks.standstill import stood_still
from harness.energy.series import Series
from harness.meters.process import ProcessMeter
from harness.records import Channel, ChannelKind, Provenance, Treatment
from suite.protocol import CONTROL

GPU = Channel(
    name="nvml/0/gpu_utilisation",
    meter="nvml",
    unit="%",
    kind=ChannelKind.GAUGE,
    provenance=Provenance.MEASURED,
    domain="gpu",
)
T_S = np.arange(0.0, 60.0, 0.1)
WINDOW = (1_000_000_000, 59_000_000_000)


def used(*rests: tuple[float, float]) -> Series:
    """One CPU busy but for these stretches of time."""
    busy = np.array([not any(first <= t < last for first, last in rests) for t in T_S])
    return Series(ProcessMeter.channels[0], (T_S * 1e9).astype(np.int64), np.cumsum(busy * 0.1))


def gpu(busy: bool) -> Series:
    return Series(GPU, (T_S * 1e9).astype(np.int64), np.full(len(T_S), 80.0 if busy else 0.0))


def test_a_worker_that_was_stopped_and_continued_carries_a_finding() -> None:
    (finding,) = stood_still([used((10, 30))], "train", *WINDOW)
    assert (finding.code, finding.severity) == ("stood-still", "invalid")
    assert "no CPU for 20.0 s" in finding.message or "no CPU for 19.9 s" in finding.message


@pytest.mark.parametrize(
    "rests", [(), ((10.0, 14.0),), ((10.0, 14.0), (20.0, 24.0)), ((0.0, 5.9),), ((54.5, 60.0),)]
)
def test_short_waits_and_what_lies_outside_the_window_are_no_trouble(
    rests: tuple[tuple[float, float], ...],
) -> None:
    assert list(stood_still([used(*rests)], "train", *WINDOW)) == []


def test_a_control_run_rests_and_a_gpu_works_alone() -> None:
    assert list(stood_still([used((10, 30))], CONTROL, *WINDOW)) == []
    assert list(stood_still([used((10, 30)), gpu(True)], "train", *WINDOW)) == []
    assert list(stood_still([used((10, 30)), gpu(False)], "train", *WINDOW))


def test_a_profiler_may_make_a_worker_wait_and_not_for_minutes() -> None:
    cpu = used((10, 30))
    assert list(stood_still([cpu], "train", *WINDOW, profiled=True)) == []
    slower = Series(cpu.channel, cpu.t_ns * 4, cpu.values)
    assert list(stood_still([slower], "train", WINDOW[0], WINDOW[1] * 4, profiled=True))


def test_without_readings_nothing_is_said() -> None:
    assert list(stood_still([], "train", *WINDOW)) == []


@pytest.mark.parametrize("waits", ["native", "recorded"])
def test_a_run_that_a_profiler_may_stop_is_told_from_a_measured_one(waits: str) -> None:
    treatment = Treatment(
        workload="svm", framework="sklearn", version="1", stage="train", dataset="digits", device="cpu"
    )
    measured = Evidence(
        treatment=treatment, isolation="virtualenv", environment={}, suite_sha256="", channels=(), lost=(),
        series=[used((10, 30))], window=WINDOW, foreign=(), told=(), bye_ns=WINDOW[1], metric=None, quality_floor={},
    )  # fmt: skip
    assert "stood-still" in {one.code for one in of_a_run(measured)}
    assert "stood-still" not in {one.code for one in of_a_run(replace(measured, **{waits: True}))}
