"""Laws of the counter arithmetic, over generated counters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.energy.joules import idle_power_w, net_j, run_energy
from harness.energy.series import Series, counter_increase, gauge_peak, unwrap
from harness.records import Channel, ChannelKind, Provenance
from tests.campaigns import channel, energy_channels

COUNTER = channel("counter", "rapl", "J", "cpu_package", boundary=True, wraps_at=100.0)

# Steps of less than the range between readings, as sampling often enough guarantees.
steps = st.lists(st.floats(0, 99.9), min_size=1, max_size=60)
times = st.lists(st.integers(1, 10**9), min_size=3, max_size=40)


def series(t_ns: np.ndarray, values: np.ndarray, of: Channel = COUNTER) -> Series:
    return Series(of, t_ns.astype(np.int64), values.astype(np.float64))


@given(steps, st.floats(0, 99.9))
def test_unwrapping_restores_the_growth_through_any_number_of_wraps(steps: list[float], start: float) -> None:
    true = start + np.concatenate(([0.0], np.cumsum(steps)))
    assert unwrap(np.mod(true, 100.0), 100.0) == pytest.approx(true - start, abs=1e-7)


@given(steps, st.floats(0, 99.9))
def test_an_unwrapped_counter_never_falls(steps: list[float], start: float) -> None:
    true = start + np.concatenate(([0.0], np.cumsum(steps)))
    assert (np.diff(unwrap(np.mod(true, 100.0), 100.0)) >= 0).all()


@given(times, st.data())
def test_increases_of_adjacent_intervals_add_up(gaps: list[int], data: st.DataObject) -> None:
    t_ns = np.cumsum(gaps)
    values = np.cumsum(data.draw(st.lists(st.floats(0, 1e4), min_size=len(t_ns), max_size=len(t_ns))))
    moment = st.integers(int(t_ns[0]), int(t_ns[-1]))
    begin, middle, end = sorted(data.draw(st.tuples(moment, moment, moment)))
    one = series(t_ns, values)
    parts = counter_increase(one, begin, middle), counter_increase(one, middle, end)
    assert None not in parts
    assert sum(parts) == pytest.approx(counter_increase(one, begin, end), abs=1e-6)


@given(times, st.floats(0.001, 1e3), st.data())
def test_a_linear_counter_gives_watts_times_seconds(
    gaps: list[int], watts: float, data: st.DataObject
) -> None:
    t_ns = np.cumsum(gaps)
    moment = st.integers(int(t_ns[0]), int(t_ns[-1]))
    begin, end = sorted(data.draw(st.tuples(moment, moment)))
    increase = counter_increase(series(t_ns, watts * t_ns / 1e9), begin, end)
    assert increase == pytest.approx(watts * (end - begin) / 1e9, rel=1e-9, abs=1e-9 * watts)


@pytest.mark.parametrize(("begin", "end"), [(9, 20), (10, 31), (0, 40)])
def test_an_interval_that_the_samples_do_not_enclose_has_no_energy(begin: int, end: int) -> None:
    assert counter_increase(series(np.array([10, 30]), np.array([0.0, 5.0])), begin, end) is None


def test_one_reading_is_no_energy() -> None:
    assert counter_increase(series(np.array([10]), np.array([5.0])), 10, 10) is None


def linear(of: Channel, watts: float, seconds: int = 10) -> Series:
    """Read once a second: a counter that grows by `watts`, or a gauge that shows them."""
    t_s = np.arange(seconds + 1)
    values = watts * t_s if of.kind is ChannelKind.COUNTER else np.full(len(t_s), watts)
    return series(t_s * 10**9, values, of)


POWER = channel("power", "nvml", "W", "gpu", kind=ChannelKind.GAUGE, boundary=True)


@pytest.mark.parametrize(
    ("source", "derived"),
    [
        (Provenance.MEASURED, Provenance.DERIVED),
        (Provenance.SIMULATED, Provenance.SIMULATED),
        (Provenance.ESTIMATED, Provenance.ESTIMATED),
    ],
)
def test_integrated_power_is_an_addend_and_makes_the_sum_derived(
    source: Provenance, derived: Provenance
) -> None:
    package, power = (one.model_copy(update={"provenance": source}) for one in (COUNTER, POWER))
    parts = [linear(package, 5.0), linear(power, 300.0)]
    energy = run_energy(parts, [package, power], 10**9, 9 * 10**9)
    assert energy.energy_j == pytest.approx(8 * 305)
    assert energy.domains == pytest.approx({"cpu_package": 40, "gpu": 2400})
    assert energy.provenance is derived


def test_derived_and_estimated_joules_are_never_added() -> None:
    package = COUNTER.model_copy(update={"provenance": Provenance.ESTIMATED})
    energy = run_energy([linear(package, 5.0), linear(POWER, 300.0)], [package, POWER], 10**9, 9 * 10**9)
    assert (energy.energy_j, energy.reason) == (None, "provenances mixed: derived, estimated")


def test_errors_of_one_meter_add_up_and_those_of_several_in_quadrature() -> None:
    def uncertain(name: str, meter: str) -> Channel:
        return channel(name, meter, "J", name, boundary=True).model_copy(update={"resolution": 100.0})

    def uncertainty_j(*channels: Channel) -> float:
        found = run_energy([linear(one, 50.0) for one in channels], channels, 10**9, 9 * 10**9)
        assert found.uncertainty_j is not None
        return found.uncertainty_j

    first, second, other = uncertain("a", "nvml"), uncertain("b", "nvml"), uncertain("c", "rapl")
    one_j = uncertainty_j(first)
    assert uncertainty_j(first, second) == pytest.approx(2 * one_j)
    assert uncertainty_j(first, other) == pytest.approx(2**0.5 * one_j)


def test_domains_are_the_addends_of_the_energy() -> None:
    package, dram = energy_channels("rapl")
    t_ns = np.array([0, 10])
    both = [series(t_ns, np.array([0.0, 30.0]), package), series(t_ns, np.array([0.0, 4.0]), dram)]
    energy = run_energy(both, (package, dram), 0, 10)
    assert (energy.energy_j, energy.domains) == (34.0, {"cpu_package": 30.0, "dram": 4.0})
    assert energy.provenance is Provenance.MEASURED


def test_a_missing_addend_makes_the_sum_unknown_and_names_itself() -> None:
    package, dram = energy_channels("rapl")
    energy = run_energy([series(np.array([0, 10]), np.array([0.0, 30.0]), package)], (package, dram), 0, 10)
    assert energy.energy_j is None
    assert "rapl/package-0/dram" in energy.reason


def test_measured_and_estimated_addends_are_never_summed() -> None:
    channels = (energy_channels("rapl")[0], energy_channels("estimate")[0])
    t_ns, values = np.array([0, 10]), np.array([0.0, 30.0])
    energy = run_energy([series(t_ns, values, one) for one in channels], channels, 0, 10)
    assert energy.energy_j is None
    assert "estimated" in energy.reason and "measured" in energy.reason


def test_without_an_energy_channel_there_is_a_reason() -> None:
    assert run_energy([], (), 0, 10).reason == "no energy channel on this machine"


def test_the_peak_of_a_gauge_is_that_of_the_interval() -> None:
    gauge = channel("gauge", "process", "bytes", "process", kind=ChannelKind.GAUGE)
    found = series(np.array([1, 2]), np.array([7.0, 5.0]), gauge)
    assert [gauge_peak(found, *interval) for interval in ((0, 2), (2, 2), (3, 4))] == [7.0, 5.0, None]


def test_idle_power_is_the_mean_over_the_baseline() -> None:
    package, dram = energy_channels("rapl")
    t_ns = np.arange(0, 3 * 10**9, 10**8)
    both = [series(t_ns, 20.0 * t_ns / 1e9, package), series(t_ns, 3.0 * t_ns / 1e9, dram)]
    assert idle_power_w(both, (package, dram)) == pytest.approx(23.0)
    assert idle_power_w(both[:1], (package, dram)) is None
    assert idle_power_w([], (package, dram)) is None


@pytest.mark.parametrize(
    ("told", "at_rest"),
    [
        ({"compute_processes": [1.0] * 30}, False),
        ({"gpu_utilisation": [25.0] * 30, "compute_processes": [0.0] * 30}, False),
        ({"gpu_utilisation": [25.0] * 10 + [0.0] * 20}, True),  # of the run before, told for a second longer
        ({"compute_processes": []}, True),
    ],
)
def test_a_machine_whose_gpu_works_is_not_idle(told: dict[str, list[float]], at_rest: bool) -> None:
    """As of another's process beside an H100's baseline: 152 W were taken for rest, and a run had -0.8 kJ."""
    package, dram = energy_channels("rapl")
    t_ns = np.arange(0, 3 * 10**9, 10**8)
    both = [series(t_ns, 20.0 * t_ns / 1e9, package), series(t_ns, 3.0 * t_ns / 1e9, dram)]
    gauges = [
        Channel(
            name=f"nvml/gpu-0/{name}",
            meter="nvml",
            unit="1",
            kind="gauge",
            provenance="measured",
            domain="gpu",
        )
        for name in told
    ]
    of_gpu = [
        series(t_ns[: len(values)], np.array(values), gauge)
        for gauge, values in zip(gauges, told.values(), strict=True)
    ]
    assert (idle_power_w([*both, *of_gpu], (package, dram)) is not None) is at_rest


@pytest.mark.parametrize(
    ("gross_j", "idle_w", "net"), [(100.0, 8.0, 20.0), (None, 8.0, None), (100.0, None, None)]
)
def test_net_is_gross_minus_idle_time(gross_j: float | None, idle_w: float | None, net: float | None) -> None:
    assert net_j(gross_j, idle_w, 10.0) == net
