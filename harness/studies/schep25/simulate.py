"""Runs with the printed moments, where no raw files are at hand. Their provenance is `simulated`, everywhere."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np

from harness.energy.series import NS_PER_S, Floats, Series
from harness.importers.base import Imported, ImportedRun
from harness.records import Channel, ChannelKind, Provenance, Treatment
from harness.studies.base import printed_numbers
from harness.studies.schep25.method import CHANNEL, FRAMEWORKS

RUNS = {
    "keras": 38,
    "torch": 37,
    "jax": 30,
}  # with which the printed means and p-values can only have come about
SEED = 2025
WITHIN_SIGMAS = 2.5  # so that the study's rule leaves every drawn run in
# As the report names them; Keras by its TensorFlow.
VERSIONS = {"keras": "2.18.0", "torch": "2.6.0", "jax": "0.5.0"}
COUNTER = Channel(
    name=CHANNEL,
    meter="simulation",
    unit="J",
    kind=ChannelKind.COUNTER,
    provenance=Provenance.SIMULATED,
    domain="cpu_package",
    boundary=True,
    note="drawn with the moments that the study printed",
)


def campaign() -> Imported:
    """The same runs every time: interleaved, a minute apart."""
    generator = np.random.default_rng(SEED)
    drawn = {name: draw(name, generator) for name in FRAMEWORKS}
    runs, at_ns = [], 0
    for repetition in range(1, max(RUNS.values()) + 1):
        for name in generator.permutation(FRAMEWORKS):
            if repetition <= RUNS[name]:
                time_s, energy_j = drawn[name][repetition - 1]
                runs.append(_run(str(name), repetition, at_ns, float(time_s), float(energy_j)))
                at_ns += runs[-1].duration_ns + 60 * int(NS_PER_S)
    return Imported(Path.cwd(), tuple(runs))


def draw(framework: str, generator: np.random.Generator) -> Floats:
    """(runs, 2): seconds and joules with the printed means and standard deviations, exactly.

    Their correlation is the one that gives power its printed spread, to first order.
    """
    moments = _moments(framework)
    spread = {name: std / mean for name, (mean, std) in moments.items()}
    both = 2 * spread["time_s"] * spread["energy_j"]
    rho = (spread["time_s"] ** 2 + spread["energy_j"] ** 2 - spread["power_w"] ** 2) / both
    rho = float(np.clip(rho, -0.999, 0.999))
    first, second = _standard(RUNS[framework], generator)
    shapes = {"time_s": first, "energy_j": rho * first + sqrt(1 - rho**2) * second}
    return np.column_stack([moments[name][0] + moments[name][1] * shape for name, shape in shapes.items()])


def _moments(framework: str) -> dict[str, tuple[float, float]]:
    table = printed_numbers("schep25_summary.csv").set_index(["framework", "metric", "statistic"])[
        "published"
    ]
    known = {key: float(value) for key, value in table.items()}
    metrics = ("time_s", "energy_j", "power_w")
    return {name: (known[framework, name, "mean"], known[framework, name, "std"]) for name in metrics}


def _standard(n: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Two uncorrelated columns of mean 0 and standard deviation 1, exactly; far values are drawn again."""
    while True:
        raw = generator.standard_normal((n, 2))
        centred = raw - raw.mean(axis=0)
        basis, _ = np.linalg.qr(centred)
        columns = basis * sqrt(n - 1)
        if np.abs(columns).max() < WITHIN_SIGMAS:
            return columns[:, 0], columns[:, 1]


def _run(framework: str, repetition: int, begin_ns: int, time_s: float, energy_j: float) -> ImportedRun:
    duration_ns = round(time_s * NS_PER_S)
    t_ns = np.array([begin_ns, begin_ns + duration_ns], dtype=np.int64)
    return ImportedRun(
        treatment=Treatment(
            workload="mnist_cnn",
            framework=framework,
            version=VERSIONS[framework],
            stage="train",
            dataset="mnist",
        ),
        repetition=repetition,
        duration_ns=duration_ns,
        begin_ns=begin_ns,
        series=(Series(COUNTER, t_ns, np.array([0.0, energy_j])),),
        sources=(),
        environment={"simulated": f"{framework}_{repetition}"},
    )
