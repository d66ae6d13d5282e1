"""Sensors that update slowly and unevenly: the stated uncertainty covers the truth, and is not absurdly wide."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from harness.energy.series import increase
from tests.emulators.counters import Generator, Sensor, Truth, drawn, shown
from tests.harness.meters.test_nvml_sampled import IN_STEP

RECORDINGS, WINDOWS = 15, 20
LENGTH_S, WINDOW_S, PERIOD_S = 60.0, 5.0, 0.1
JITTERS = (0.0, 0.2, 0.4)
POWERS: dict[str, Callable[[Generator], Truth]] = {
    "constant": lambda _: drawn(np.array([50.0]), np.array([100.0])),
    "steps": lambda _: drawn(np.tile([20.0, 90.0], 20), np.full(40, 3.7)),
    "bursts": lambda generator: drawn(np.tile([15.0, 95.0], 600), generator.uniform(0.005, 0.5, 1200)),
}
# Half-widths in parts of the energy: of a window whose ends nobody read on purpose, 5 s long.
LATE_S, DRIFT_S, UNEVEN_S = np.linspace(0.001, 0.099, 12), (0.0, 1e-5, 1e-4), (1e-5, 1e-4, 1e-3, 5e-3)
WIDEST = {0.001: 0.02, 0.02: 0.02, 0.1: 0.035, 0.25: 0.05, 1.0: 0.18}


def windows(
    update_s: float, jitter: float, power: str, known: bool, ends_read: bool
) -> tuple[list[bool], list[float]]:
    """Whether each window's interval holds the truth, and its half-width as a part of the energy."""
    covered, widths = [], []
    for seed in range(RECORDINGS):
        generator = np.random.default_rng(seed)
        truth = POWERS[power](generator)
        begins_s = generator.uniform(2, LENGTH_S - WINDOW_S - 3, WINDOWS)
        t_s = np.arange(0.2, LENGTH_S, PERIOD_S) + generator.uniform(0, 0.002, 598)
        read_s = np.concatenate((t_s, begins_s, begins_s + WINDOW_S)) if ends_read else t_s
        sensor = Sensor(update_s=update_s, jitter=jitter, known_update=known)
        series = shown(generator, sensor, truth, np.sort(read_s))
        for begin_s in begins_s:
            found = increase(series, round(begin_s * 1e9), round((begin_s + WINDOW_S) * 1e9))
            assert found is not None
            true_j = truth.between(begin_s, begin_s + WINDOW_S)
            covered.append(abs(found.value - true_j) <= found.uncertainty)
            widths.append(found.uncertainty / true_j)
    return covered, widths


@pytest.mark.parametrize("ends_read", [True, False])
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("update_s", WIDEST)
def test_95_of_100_intervals_hold_the_truth_however_the_sensor_jitters(
    update_s: float, power: str, ends_read: bool
) -> None:
    for jitter in JITTERS:
        covered, widths = windows(update_s, jitter, power, True, ends_read)
        print(f"{power}, every {update_s} s, jitter {jitter:.0%}: covered {np.mean(covered):.3f}, "
              f"median half-width {np.median(widths):.2%}")  # fmt: skip
        assert np.mean(covered) >= 0.95
        assert np.median(widths) <= WIDEST[update_s]


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("update_s", [0.25, 1.0])
def test_a_slow_sensor_of_unknown_period_is_seen_in_the_recording(update_s: float, power: str) -> None:
    for jitter in JITTERS:
        covered, widths = windows(update_s, jitter, power, known=False, ends_read=True)
        assert np.mean(covered) >= 0.95
        assert np.median(widths) <= WIDEST[update_s]


def test_seconds_of_cpu_may_rest_and_are_no_slow_sensor() -> None:
    """A process that waits uses none: nothing is spread over the time it waited."""
    cpu = Sensor(domain="process").channel.model_copy(
        update={"unit": "s", "update_s": None, "wraps_at": None}
    )
    truth = drawn(np.array([0.0, 1.0]), np.array([30.0, 30.0]))
    generator = np.random.default_rng(1)
    series = shown(generator, Sensor(), truth, np.arange(0, 60, 0.1))
    resting = type(series)(cpu, series.t_ns, series.values)
    assert increase(resting, int(20e9), int(29e9)).value == 0.0  # type: ignore[union-attr]


@pytest.mark.unhurried
def test_reading_in_step_with_the_updates_errs_no_more_than_what_bursts_hide_in_two_of_them() -> None:
    """As a GPU's counter, every 100 ms, is read at 10 Hz: whoever is behind, by how much, and however unevenly."""
    bursts = drawn(np.tile([500.0, 80.0], 200), np.tile([0.23, 0.19], 200))
    largest, covered = dict.fromkeys(IN_STEP, 0.0), []
    for seed, (late_s, drift_s, uneven_s) in enumerate(product(LATE_S, DRIFT_S, UNEVEN_S)):
        generator = np.random.default_rng(seed)
        t_s = 10 + late_s + np.arange(650) * (0.1 + drift_s) + generator.exponential(uneven_s, 650)
        series = shown(generator, Sensor(update_s=0.1, known_update=True), bursts, t_s)
        for window_s in IN_STEP:
            for begin_s in generator.uniform(t_s[2], t_s[-8] - window_s, 200):
                found = increase(series, round(begin_s * 1e9), round((begin_s + window_s) * 1e9))
                assert found is not None and found.uncertainty is not None
                true_j = bursts.between(begin_s, begin_s + window_s)
                largest[window_s] = max(largest[window_s], abs(found.value - true_j) / true_j)
                covered.append(abs(found.value - true_j) <= found.uncertainty)
    print(largest, np.mean(covered))
    assert all(largest[window_s] <= allowed for window_s, allowed in IN_STEP.items())
    assert np.mean(covered) >= 0.98
