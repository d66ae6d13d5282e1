"""Recordings of sound machines, as odd as real ones: idle memory, wraps, coarse, slow or jittering sensors, gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.energy.series import Series
from tests.emulators.counters import UNIT_J, Floats, Generator, Sensor, Truth, drawn, readings_s, shown

RANGES_J = (65_532.61, 262_143.328850)
JITTERS = (0.0, 0.2, 0.4)
UPDATES_S = (0.001, 0.01, 0.1, 1.0)


@dataclass(frozen=True)
class SoundRun:
    """A recording, its measured window in ns, and what each sensor was and really drew."""

    series: list[Series]
    window: tuple[int, int]
    sources: list[tuple[Sensor, Truth]]
    t_s: Floats


def sound_run(seed: int) -> SoundRun:
    generator = np.random.default_rng(seed)
    length_s = float(generator.uniform(3, 60))
    sources = list(_machine(generator, length_s))
    t_s = _read_at(generator, length_s)
    series = [shown(generator, sensor, truth, t_s) for sensor, truth in sources]
    return SoundRun(series, (int(t_s[1] * 1e9), int(t_s[-2] * 1e9)), sources, t_s)


def _read_at(generator: Generator, length_s: float) -> Floats:
    """At 20, 10 or 1 Hz, three in ten with one or two gaps of up to 20 s."""
    count = int(generator.integers(1, 3)) if generator.random() < 0.3 else 0
    gaps_s = generator.uniform(0.5, min(20.0, length_s / 2), count)
    period_s = float(generator.choice([0.05, 0.1, 0.1, 1.0])) if length_s > 15 else 0.1
    return readings_s(generator, length_s, period_s, gaps_s)


def _machine(generator: Generator, length_s: float) -> Iterator[tuple[Sensor, Truth]]:
    """One or two sockets with memory and cores, the platform, and perhaps a GPU; power in up to eleven levels."""
    levels = int(generator.integers(1, 12))
    lengths_s = generator.dirichlet(np.ones(levels)) * length_s + 1e-3
    packages_w = np.zeros(levels)
    for socket in range(int(generator.integers(1, 3))):
        busy = generator.choice([0, 1], levels)
        package_w = generator.uniform(1, 30) + busy * generator.uniform(0, 400)
        packages_w += package_w
        yield _sensor(generator, f"package-{socket}", "cpu_package"), drawn(package_w, lengths_s)
        dram_w = generator.choice([0.05, 0.1, 0.3, 1, 4]) + busy * generator.choice([0, 0, 5, 40])
        yield _sensor(generator, f"package-{socket}/dram", "dram"), drawn(dram_w, lengths_s)
        core = Sensor(name=f"rapl/package-{socket}/core", domain="cpu_core", boundary=False, unit_j=1.0)
        yield core, drawn(package_w / 10, lengths_s)
    yield _platform(generator), drawn(packages_w * 1.05 + 5, lengths_s)
    if generator.random() < 0.5:
        gpu_w = generator.uniform(5, 100) + generator.choice([0, 1], levels) * generator.uniform(0, 1000)
        yield _gpu(generator), drawn(gpu_w, lengths_s)


def _sensor(generator: Generator, zone: str, domain: str) -> Sensor:
    """A memory's register has fine steps everywhere; a package's are anything. Half of them wrap soon."""
    range_j = float(generator.choice(RANGES_J))
    units_j = (2.0**-16, UNIT_J, 1e-3) if domain == "dram" else (UNIT_J, 1e-3, 0.1, 1.0)
    soon_j = range_j - generator.uniform(0, 100 if domain == "dram" else 2000)
    return Sensor(
        name=f"rapl/{zone}", domain=domain, range_j=range_j, offset_j=float(generator.choice([0.0, soon_j])),
        update_s=float(generator.choice(UPDATES_S)), jitter=float(generator.choice(JITTERS)),
        unit_j=float(generator.choice(units_j)), known_update=bool(generator.random() < 0.7),
        known_unit=bool(generator.random() < 0.5),
    )  # fmt: skip


def _platform(generator: Generator) -> Sensor:
    return Sensor(
        name="rapl/psys", domain="psys", boundary=False, covers=("cpu_package",), jitter=0.2,
        update_s=float(generator.choice([0.001, 1.0])), unit_j=float(generator.choice([UNIT_J, 1.0])),
    )  # fmt: skip


def _gpu(generator: Generator) -> Sensor:
    return Sensor(
        name="nvml/gpu-0/energy", meter="nvml", domain="gpu", range_j=None, unit_j=1e-3, known_unit=True,
        update_s=float(generator.choice([0.02, 0.1, 0.2])), jitter=float(generator.choice(JITTERS)),
    )  # fmt: skip
