"""The study's own pipeline: quantities of a run, cleaning, normality, the test that follows from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from harness.analysis.description import shapiro
from harness.analysis.significance import TestResult, normal_then_t
from harness.analysis.verdict import Flags
from harness.energy.series import NS_PER_S, Floats
from harness.errors import UsageError
from harness.importers.base import Imported, ImportedRun

FRAMEWORKS = ("keras", "torch", "jax")
PAIRS = (("keras", "torch"), ("keras", "jax"), ("torch", "jax"))
METRICS = {"time_s": "s", "energy_j": "J", "power_w": "W", "edp_js": "J s"}
SIGMAS = 3.0
NUMBER = re.compile(r"_\d+$")
CHANNEL = "energibridge/cpu_energy"
Cleaned = dict[str, Floats]


def runs_of(imported: Imported) -> pd.DataFrame:
    """framework, file, repetition, begin_ns and METRICS of every run of the three.

    Of JAX the compiled runs (jax_jit) are taken where there are both, as the study did. Raises: UsageError for a
    folder that lacks one of the three.
    """
    rows = pd.DataFrame([_row(run) for run in imported.runs])
    named = set(rows["group"])
    jax = "jax_jit" if "jax_jit" in named else "jax"
    kept = rows[rows["group"].isin(["keras", "torch", jax])]
    rows = kept.assign(framework=kept["group"].replace(jax, "jax"))
    if missing := set(FRAMEWORKS) - set(rows["framework"]):
        named_as = "files are named keras_N.csv, torch_N.csv and jax_jit_N.csv"
        raise UsageError(f"no runs of {', '.join(sorted(missing))}; {named_as}")
    return rows


def _row(run: ImportedRun) -> dict[str, object]:
    """Last reading minus first, though a register that went round in between makes that wrong."""
    counter = next((one.values for one in run.series if one.channel.name == CHANNEL), None)
    if counter is None:
        raise UsageError(
            f"{run.sources[0]} has no column CPU_ENERGY (J), from which this study took its energies"
        )
    file = run.sources[0] if run.sources else Path(str(run.environment["simulated"]))
    energy_j, time_s = float(counter[-1] - counter[0]), run.duration_ns / NS_PER_S
    return {
        "group": NUMBER.sub("", file.stem),
        "file": file.name,
        "repetition": run.repetition,
        "begin_ns": run.begin_ns or 0,
        "time_s": time_s,
        "energy_j": energy_j,
        "power_w": energy_j / time_s,
        "edp_js": energy_j * time_s,
    }


def cleaned(runs: pd.DataFrame) -> Cleaned:
    """Each quantity's values that the study kept: every quantity is cleaned by itself."""
    positive = runs[runs["energy_j"] >= 0]
    times = np.asarray(runs["time_s"], dtype=np.float64)  # also of runs whose energy was left out
    rest = {name: np.asarray(positive[name], dtype=np.float64) for name in METRICS if name != "time_s"}
    return {name: values[~outside(values)] for name, values in {"time_s": times, **rest}.items()}


def outside(values: Floats) -> Flags:
    """Beyond three standard deviations of the population (divided by n, not n - 1), once."""
    return np.asarray(np.abs(values - values.mean()) > SIGMAS * values.std())


@dataclass(frozen=True)
class GroupComparison:
    """Of two frameworks in one quantity."""

    test: TestResult
    mean_difference: float
    median_difference: float
    change_percent: float  # of the second's median against the first's


def compare(first: Floats, second: Floats) -> GroupComparison:
    medians = float(np.median(first)), float(np.median(second))
    return GroupComparison(
        test=normal_then_t(first, second),
        mean_difference=float(first.mean() - second.mean()),
        median_difference=medians[0] - medians[1],
        change_percent=100 * (medians[1] / medians[0] - 1),
    )


def describe(values: Floats) -> dict[str, float | None]:
    return {
        "shapiro_p": shapiro(values).p,
        "mean": float(values.mean()),
        "median": float(np.median(values)),
        "std": float(values.std(ddof=1)),
        "min": float(values.min()),
        "max": float(values.max()),
    }
