"""Calibrations as null campaigns leave them, from a few numbers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness import store
from harness.calibration import on_disk
from harness.calibration.noise import resolved
from harness.calibration.records import Calibrated, Calibration, KeptCalibration, Noise
from harness.records import Channel, Treatment
from tests.campaigns import MACHINE, Recipe, build, channels

CREATED = datetime(2025, 12, 20, 8, 0, tzinfo=UTC)  # before the campaigns of tests.campaigns
SETTINGS = {"governors": "performance", "turbo": True}
HERE = {**MACHINE, "settings": SETTINGS}
QUIET = Recipe(frameworks={"torch": 1.0, "jax": 1.04}, blocks=10, noise=0.002)
TREATMENT = Treatment(
    workload="mnist_mlp", framework="torch", version="2.13.0", stage="train", dataset="digits"
)


def noise(quantity: str, sd: float, blocks: int = 10) -> Noise:
    return Noise(
        quantity=quantity, blocks=blocks, sd=sd, sd_at_most=1.6 * sd, resolves=resolved(sd, blocks),
        resolves_at_most=resolved(1.6 * sd, blocks), ratio=1.001, low=0.99, high=1.01, verdict="equivalent",
        false_verdicts=26, relabelled=512, drift_rho=0.1, drift_p=0.7, lag1=-0.05,
    )  # fmt: skip


def calibration_of(sd: float = 0.0141, **changes: Any) -> Calibration:
    """`sd` of log differences in energy; time varies by 2 / 3 of that, every other quantity is not known."""
    values: dict[str, Any] = {
        "created": CREATED, "profile": "quick", "treatment": TREATMENT, "mode": "eager", "isolation": "virtualenv",
        "blocks": 10, "seed": 1, "suite_sha256": "cd" * 32,
        "noise": (noise("energy_j", sd), noise("duration_s", sd * 2 / 3)),
    }  # fmt: skip
    return Calibration(**{**values, **changes})


def calibrated(
    one: Calibration | None = None, machine: dict[str, Any] | None = None,
    of: tuple[Channel, ...] = channels("rapl"),
) -> Calibrated:  # fmt: skip
    return Calibrated(machine=machine or HERE, channels=of, calibration=one or calibration_of())


def keep(campaign: Path, one: Calibration | None, reason: str = "") -> None:
    """As a campaign keeps what counted as it began."""
    kept = KeptCalibration(calibration=one, reason=reason)
    store.write_record(campaign / on_disk.CALIBRATION_FILE, kept)


def campaign(folder: Path, recipe: Recipe = QUIET, **changes: Any) -> store.Campaign:
    """With the calibration that counted as it began."""
    made = build(folder / "c", recipe)
    keep(made.folder, calibration_of(**changes))
    return made
