"""What is compared: columns of runs, and what is known of how sure each is."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from harness.analysis.pairs import BlockLogs, Pair, block_logs

WHOLE, STAGE = ("energy_uncertainty_j", "energy_j"), ("stage_energy_uncertainty_j", "stage_energy_j")
RESOLUTION = "energy_resolution_j"


@dataclass(frozen=True)
class Quantity:
    """A column of runs.

    `energy`: carries a provenance. `judged`: less is better, so that a ratio earns a verdict. `compared`: has a
    ratio at all. `uncertainty`: columns of a half-width of 95 % and of the energy that it belongs to, whose share is
    the quantity's own, for what else it is made of is known far better. `ranked`: asked which treatment costs least.
    """

    name: str
    energy: bool = False
    judged: bool = True
    compared: bool = True
    uncertainty: tuple[str, str] | None = None
    ranked: bool = False

    def pair(self, treatment: pd.DataFrame, reference: pd.DataFrame) -> Pair | None:
        """Of runs of two treatments, with rates; None without a common block, or where a value is not positive."""
        return self.logs(treatment).over(self.logs(reference))

    def logs(self, runs: pd.DataFrame) -> BlockLogs:
        """Of runs of one treatment, with rates."""
        step = (RESOLUTION, self.uncertainty[1]) if self.uncertainty else None
        return block_logs(runs, self.name, self.uncertainty, step)


SHORT = {
    "energy": "energy_j",
    "time": "duration_s",
    "memory": "memory_peak_bytes",
    "cpu": "cpu_s",
}  # as users say
QUALITY = Quantity("quality", judged=False, compared=False)
QUANTITIES = (
    Quantity("energy_j", energy=True, uncertainty=WHOLE, ranked=True),
    Quantity("duration_s", ranked=True),
    Quantity("mean_power_w", energy=True, judged=False, uncertainty=WHOLE),
    Quantity("stage_energy_j", energy=True, uncertainty=STAGE, ranked=True),
    Quantity("stage_duration_s", ranked=True),
    Quantity("stage_mean_power_w", energy=True, judged=False, uncertainty=STAGE),
    Quantity("stage_energy_j_per_sample", energy=True, uncertainty=STAGE),
    Quantity("stage_energy_j_per_epoch", energy=True, uncertainty=STAGE),
    Quantity("energy_delay_js", energy=True, uncertainty=WHOLE),
    Quantity("cpu_s"),
    Quantity("memory_peak_bytes"),
    QUALITY,
    Quantity("quality_per_kj", energy=True, judged=False, compared=False),
)
