"""Schep et al. 2025, "TensorFlow, Torch and JAX energy consumption comparison for [...] networks on MNIST".

A report with its statistics in an appendix (course Sustainable Software Engineering, Delft, project 1, group 2). Its
raw files are CSV of EnergiBridge (flazedd/cs4575-project1, results_mao). Without them, runs with the printed moments
are simulated.
"""

from __future__ import annotations

from pathlib import Path

from harness import importers
from harness.studies.base import Reproduction
from harness.studies.schep25 import method, simulate
from harness.studies.schep25.audit import audit
from harness.studies.schep25.tables import cells_of

NAME = "schep25"
SUMMARY = "a folder of EnergiBridge CSV files named keras_N.csv, torch_N.csv and jax_jit_N.csv"
NEEDS_FILES = False
NOTES = (
    "Its pipeline: energy is the last reading of the CPU's counter minus the first, power is energy / time, EDP is "
    "energy x time; runs of negative energy are left out, then, per quantity, those beyond three standard deviations; "
    "Welch's t-test where Shapiro-Wilk rejects neither side at 5 %, else Mann-Whitney; change is that of the medians.",
)
SIMULATED = (
    "SIMULATED: no raw files were given. Runs are drawn with the printed means, standard deviations and numbers; "
    "what these do not determine is printed beside, but not compared.",
)


def reproduce(path: Path | None) -> Reproduction:
    imported = simulate.campaign() if path is None else importers.read("energibridge", path)
    runs = method.runs_of(imported)
    cleaned = {name: method.cleaned(runs[runs["framework"] == name]) for name in method.FRAMEWORKS}
    return Reproduction(
        title="TensorFlow, Torch and JAX energy consumption on MNIST (2025)",
        source="the report's appendix and its Tables 3 to 5",
        cells=tuple(cells_of(cleaned, simulated=path is None)),
        audit=tuple(audit(imported, runs, cleaned, simulated=path is None)),
        notes=NOTES if path is not None else (*NOTES, *SIMULATED),
    )
