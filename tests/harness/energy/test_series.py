"""The stated uncertainty covers the truth, and is no wider than it must be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.energy.series import Series, gauge_integral, increase, wrap_hidden
from harness.records import Channel, ChannelKind, Provenance

Floats = npt.NDArray[np.float64]
Waveform = Callable[[np.random.Generator, Floats], Floats]

LENGTH_S, STEP_S, PERIOD_S = 120, 0.001, 0.1
WINDOWS = 200


def steps(_: np.random.Generator, t_s: Floats) -> Floats:
    return np.where((t_s // 3.7) % 2 == 0, 20.0, 90.0)


def ramps(_: np.random.Generator, t_s: Floats) -> Floats:
    return 20 + 70 * (t_s % 8) / 8


def bursts(shortest_s: float, longest_s: float) -> Waveform:
    def power(generator: np.random.Generator, t_s: Floats) -> Floats:
        lengths_s = generator.uniform(shortest_s, longest_s, int(2 * LENGTH_S / shortest_s))
        switched = np.searchsorted(np.cumsum(lengths_s), t_s)
        return np.where(switched % 2 == 0, 95.0, 15.0)

    return power


WAVEFORMS: dict[str, Waveform] = {
    "constant": lambda _, t_s: np.full(len(t_s), 50.0),
    "steps": steps,
    "ramps": ramps,
    "bursts of 5 to 500 ms": bursts(0.005, 0.5),
    "bursts of 2 to 40 ms": bursts(0.002, 0.04),
}


def counter(update_s: float | None) -> Channel:
    return Channel(
        name="c", meter="m", unit="J", kind=ChannelKind.COUNTER, provenance=Provenance.SIMULATED,
        domain="d", update_s=update_s,
    )  # fmt: skip


def sampled(
    generator: np.random.Generator, waveform: Waveform, update_s: float
) -> tuple[Series, Callable[[float], float]]:
    """A counter that updates every `update_s`, read at 10 Hz with jitter; and the true energy up to a time."""
    grid_s = np.arange(0, LENGTH_S, STEP_S)
    energy_j = np.concatenate(([0.0], np.cumsum(waveform(generator, grid_s)) * STEP_S))
    edges_s = np.arange(len(energy_j)) * STEP_S
    t_s = np.arange(0.2, LENGTH_S, PERIOD_S)
    t_s = t_s + generator.uniform(0, 0.002, len(t_s))
    phase_s = generator.uniform(0, update_s)
    shown_s = np.floor((t_s - phase_s) / update_s) * update_s + phase_s
    values = np.interp(shown_s, edges_s, energy_j)
    return Series(counter(update_s), (t_s * 1e9).astype(np.int64), values), lambda at_s: float(
        np.interp(at_s, edges_s, energy_j)
    )


@pytest.mark.parametrize("update_s", [0.001, 0.1])
@pytest.mark.parametrize("window_s", [5, 30])
@pytest.mark.parametrize("name", WAVEFORMS)
def test_the_uncertainty_covers_the_truth_in_95_of_100_windows(
    name: str, window_s: int, update_s: float
) -> None:
    generator = np.random.default_rng(7)
    covered, errors, widths = [], [], []
    for _ in range(10):
        series, true_j = sampled(generator, WAVEFORMS[name], update_s)
        for begin_s in generator.uniform(1, LENGTH_S - window_s - 1, WINDOWS // 10):
            found = increase(series, int(begin_s * 1e9), int((begin_s + window_s) * 1e9))
            assert found is not None
            truth_j = true_j(begin_s + window_s) - true_j(begin_s)
            covered.append(abs(found.value - truth_j) <= found.uncertainty)
            errors.append(abs(found.value - truth_j) / truth_j)
            widths.append(found.uncertainty / truth_j)
    print(f"{name}, {window_s} s, update {update_s} s: covered {np.mean(covered):.3f}, "
          f"median half-width {100 * np.median(widths):.2f} %, largest error {100 * max(errors):.2f} %")  # fmt: skip
    assert np.mean(covered) >= 0.95
    limit = {(5, 0.001): 0.02, (5, 0.1): 0.03, (30, 0.001): 0.005, (30, 0.1): 0.006}[window_s, update_s]
    assert np.median(widths) < limit


@pytest.mark.parametrize("update_s", [0.001, 0.1])
def test_a_window_whose_ends_were_read_has_no_interpolation(update_s: float) -> None:
    """The harness reads every counter at both ends of the run: what is left is the sensor's own period."""
    series, _ = sampled(np.random.default_rng(1), WAVEFORMS["bursts of 5 to 500 ms"], update_s)
    found = increase(series, int(series.t_ns[50]), int(series.t_ns[350]))
    assert found is not None
    if update_s == 0.001:
        assert found.value == pytest.approx(series.values[350] - series.values[50], rel=1e-3)
        assert found.uncertainty < 2e-3 * found.value


@given(st.floats(0.1, 500), st.integers(2, 60), st.integers(1, 10**9))
def test_a_steady_gauge_integrates_to_watts_times_seconds(watts: float, count: int, gap_ns: int) -> None:
    t_ns = np.arange(count, dtype=np.int64) * gap_ns
    gauge = counter(None).model_copy(update={"kind": ChannelKind.GAUGE, "unit": "W"})
    found = gauge_integral(Series(gauge, t_ns, np.full(count, watts)), int(t_ns[0]), int(t_ns[-1]))
    assert found is not None
    assert found.value == pytest.approx(watts * (t_ns[-1] - t_ns[0]) / 1e9)
    assert found.uncertainty is None  # nothing tells how its readings were rounded


def test_a_steady_gauge_is_no_surer_than_its_rounding() -> None:
    gauge = counter(None).model_copy(update={"kind": ChannelKind.GAUGE, "unit": "W", "resolution": 1.0})
    found = gauge_integral(Series(gauge, np.arange(0, 10**11, 10**9), np.full(100, 50.0)), 0, 99 * 10**9)
    assert found is not None
    assert found.uncertainty == pytest.approx(1.96 * 99 / 12**0.5)


def test_an_averaging_gauge_says_what_it_has_not_shown_yet() -> None:
    """From 100 W to 300 W at 10 s, shown as the mean over the last second, integrated from 10 s on."""
    t_s = np.arange(0, 20.05, 0.1)
    power_w = 100 + 200 * np.clip(t_s - 10, 0, 1)
    gauge = counter(None).model_copy(update={"kind": ChannelKind.GAUGE, "unit": "W", "update_s": 1.0})
    found = gauge_integral(Series(gauge, (t_s * 1e9).astype(np.int64), power_w), 10 * 10**9, 19 * 10**9)
    assert found is not None
    assert 90 < 9 * 300 - found.value <= found.uncertainty < 300


def test_a_gauge_that_does_not_enclose_the_interval_has_no_integral() -> None:
    series = Series(counter(None), np.array([10, 30]), np.array([1.0, 1.0]))
    assert gauge_integral(series, 5, 20) is None


@pytest.mark.parametrize(("gap_s", "hidden"), [(200, False), (219, True)])
def test_a_gap_that_could_hide_a_wrap_is_known(gap_s: float, hidden: bool) -> None:
    """A 32-bit RAPL counter of 65.5 kJ wraps every 218 s at 300 W."""
    channel = counter(None).model_copy(update={"wraps_at": 65_536.0})
    t_ns = (np.array([0, 0.1, gap_s]) * 1e9).astype(np.int64)
    assert wrap_hidden(Series(channel, t_ns, np.zeros(3)), max_power_w=300) is hidden


def test_a_gap_in_a_gauge_leaves_its_energy_open() -> None:
    """30 s of 149 s at 100 W: had twice as much, or nothing, flowed meanwhile, nobody would know."""
    t_s = np.concatenate([np.arange(0, 60), np.arange(90, 150)]).astype(float)
    values = 100 + np.random.default_rng(1).normal(0, 2, len(t_s))
    gauge = Channel(
        name="g", meter="m", unit="W", kind=ChannelKind.GAUGE, provenance=Provenance.MEASURED, domain="gpu"
    )
    whole = Series(gauge, np.arange(0, 150, dtype=np.int64) * 10**9, np.full(150, 100.0))
    gappy = Series(gauge, (t_s * 1e9).astype(np.int64), values)
    found, sure = (gauge_integral(one, 0, 149 * 10**9) for one in (gappy, whole))
    assert found is not None and sure is not None and found.uncertainty is not None
    assert found.uncertainty == pytest.approx(1.96 * 2 * 31 * 100 / np.sqrt(12), rel=0.05)
    assert (sure.uncertainty or 0.0) < 1
