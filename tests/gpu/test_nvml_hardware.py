"""The meter on a real GPU. `pytest -m gpu -s tests/gpu` prints the rows of the table in docs/validation.md.

Needs a GPU that nobody else uses; no network, no framework, no CUDA toolkit.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from harness import paths
from harness.energy.series import Series, counter_increase, gauge_integral
from harness.meters import nvml
from harness.meters.base import MeterConfiguration
from harness.records import PowerModel, Provenance, Unavailable

pytestmark = pytest.mark.gpu

SETTINGS = MeterConfiguration(Path("/nowhere"), PowerModel(idle_w=10, busy_cpu_w=5))
ENERGY, INSTANT, AVERAGE = (f"nvml/gpu-0/{name}" for name in ("energy", "power_instant", "power_average"))
SETTLE_S = 8.0  # clocks, and the 1 s average
STEADY_S = 30.0
IDLE_S = 10.0


@pytest.fixture(scope="module")
def meter() -> nvml.NvmlMeter:
    answer = nvml.find(SETTINGS)
    if isinstance(answer, Unavailable):
        pytest.skip(f"no GPU to measure here: {answer.reason}; {answer.remedy}")
    return answer


@pytest.fixture(scope="module")
def idle(meter: nvml.NvmlMeter) -> dict[str, Series]:
    time.sleep(SETTLE_S)
    return sampled(meter, IDLE_S)


@contextmanager
def load() -> Iterator[int]:
    """A process that keeps the GPU busy; its number."""
    command = [sys.executable, "-m", "tests.gpu.load"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=paths.ROOT) as process:
        assert process.stdout
        try:
            assert process.stdout.readline() == "ready\n"
            yield process.pid
        finally:
            process.kill()


@pytest.fixture(scope="module")
def loaded(meter: nvml.NvmlMeter, idle: dict[str, Series]) -> dict[str, Series]:
    """After the idle samples, whatever the order of the tests."""
    with load():
        time.sleep(SETTLE_S)
        return sampled(meter, STEADY_S)


def sampled(meter: nvml.NvmlMeter, seconds: float) -> dict[str, Series]:
    """Every channel over a while, at the sensor's own period."""
    read, period_s, rows = meter.open(None), meter.period_s or 0.1, {}
    start = time.monotonic()
    for tick in range(int(seconds / period_s) + 1):
        time.sleep(max(0.0, start + tick * period_s - time.monotonic()))
        before_ns = time.monotonic_ns()
        readings = read()
        rows[(before_ns + time.monotonic_ns()) // 2] = readings
    frame = pd.DataFrame.from_dict(rows, orient="index")
    columns = {
        channel.name: frame[channel.name].dropna() for channel in meter.channels if channel.name in frame
    }
    return {
        channel.name: Series(
            channel, columns[channel.name].index.to_numpy(), columns[channel.name].to_numpy()
        )
        for channel in meter.channels
        if channel.name in columns
    }


def mean_w(series: Series) -> float:
    """Mean power over all but the borders: of a counter, or of a gauge."""
    begin_ns, end_ns = int(series.t_ns[2]), int(series.t_ns[-3])
    if series.channel.unit == "J":
        energy_j = counter_increase(series, begin_ns, end_ns)
    else:
        integral = gauge_integral(series, begin_ns, end_ns)
        energy_j = integral.value if integral else None
    assert energy_j is not None
    return energy_j / ((end_ns - begin_ns) / 1e9)


def row(what: str, value: object) -> None:
    print(f"| {what} | {value} |")


def test_the_facts_name_the_gpu(meter: nvml.NvmlMeter) -> None:
    facts = nvml.facts()
    assert facts["driver"] and not facts["simulated"]
    for gpu in facts["gpus"]:
        assert gpu["name"] and gpu["uuid"].startswith("GPU-")
        for key, value in {**{key: facts[key] for key in ("driver", "cuda")}, **gpu}.items():
            row(key, value)
    row("channels", ", ".join(channel.name.removeprefix("nvml/") for channel in meter.channels))
    assert {channel.provenance for channel in meter.channels} == {Provenance.MEASURED}


def test_the_counter_has_a_period(meter: nvml.NvmlMeter) -> None:
    period = meter.updates["gpu-0"]
    update_s = period and period.seconds
    row("energy counter's update period", f"{update_s} s")
    assert update_s is not None
    assert 0.001 < update_s < 1.0


def test_a_tick_costs_little(meter: nvml.NvmlMeter) -> None:
    read, costs_s = meter.open(None), []
    for _ in range(50):
        began = time.monotonic()
        read()
        costs_s.append(time.monotonic() - began)
        time.sleep(0.02)
    row(
        "one reading of everything, median and longest",
        f"{statistics.median(costs_s) * 1e3:.1f} ms, {max(costs_s) * 1e3:.1f} ms",
    )
    assert statistics.median(costs_s) < 0.05


def test_idle_power_is_that_of_a_powered_gpu(meter: nvml.NvmlMeter, idle: dict[str, Series]) -> None:
    limit_w = nvml.facts()["gpus"][0]["power_limit_w"]
    row("idle power by the counter", f"{mean_w(idle[ENERGY]):.1f} W")
    row("idle power, instantaneous field", f"{mean_w(idle[INSTANT]):.1f} W")
    assert 1 < mean_w(idle[ENERGY]) < limit_w / 2


def test_the_counter_agrees_with_integrated_power(idle: dict[str, Series], loaded: dict[str, Series]) -> None:
    """Rule R13: both are kept, and over 5 % apart is a finding."""
    counter_w, integrated_w = mean_w(loaded[ENERGY]), mean_w(loaded[INSTANT])
    row("steady load by the counter", f"{counter_w:.1f} W over {STEADY_S:.0f} s")
    row(
        "steady load by integrated instantaneous power",
        f"{integrated_w:.1f} W, {integrated_w / counter_w - 1:+.2%}",
    )
    if AVERAGE in loaded:
        row("steady load by integrated average power", f"{mean_w(loaded[AVERAGE]) / counter_w - 1:+.2%}")
    assert counter_w > 1.2 * mean_w(idle[ENERGY])
    assert integrated_w == pytest.approx(counter_w, rel=0.05)


def test_the_state_of_a_loaded_gpu_is_seen(loaded: dict[str, Series]) -> None:
    state = {name.removeprefix("nvml/gpu-0/"): float(series.values[-1]) for name, series in loaded.items()}
    row("state under load", ", ".join(f"{name} {value:g}" for name, value in state.items()))
    assert state["gpu_utilisation"] > 50
    assert state["memory_used"] > 1 << 30
    assert state["sm_clock"] > 0


def test_a_foreign_process_is_seen(meter: nvml.NvmlMeter, loaded: dict[str, Series]) -> None:
    before = nvml.foreign_processes({os.getpid()})
    with load() as pid:
        during = nvml.foreign_processes({os.getpid()})
        count = meter.open(None)()["nvml/gpu-0/compute_processes"]
        own = nvml.foreign_processes({os.getpid(), pid})
    assert before is not None and during is not None and own is not None
    row(
        "a foreign process is listed",
        f"{len(before)} before, {len(during)} during, {count:.0f} by the channel",
    )
    if pid not in {one.pid for one in during}:
        # A container without the host's PID namespace: the numbers are the host's, or nothing is listed.
        pytest.skip(f"NVML lists {[one.pid for one in during]}, not {pid}: another PID namespace")
    assert own == before
    assert count == len(before) + 1
