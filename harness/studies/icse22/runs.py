"""One row per run of the artifact, in the quantities of its tables."""

from __future__ import annotations

import pandas as pd

from harness.energy.series import NS_PER_S
from harness.importers.base import Imported, ImportedRun
from harness.records import Purpose

MODELS = {
    "ncf": "NCF", "transformer_xl": "Transformer-XL", "gnmt": "GNMT", "resnet50": "ResNet-50",
    "mask_rcnn": "Mask R-CNN", "ssd": "SSD",
}  # fmt: skip
FRAMEWORKS = {"torch": "PyTorch", "tensorflow": "TensorFlow"}
ENERGIES = {"pkg_j": "perf/energy-pkg", "ram_j": "perf/energy-ram", "gpu_j": "nvidia-smi/gpu-0/energy"}
QUANTITIES = (*ENERGIES, "run_time_s")
RUN_COLUMNS = ["stage", "model", "framework", "repetition", *QUANTITIES, "readings", "first_gpu_w"]


def runs_of(imported: Imported) -> pd.DataFrame:
    """RUN_COLUMNS; `readings`: of the GPU's power, of which the first is `first_gpu_w`."""
    rows = [_row(run) for run in imported.runs if run.purpose != Purpose.PROFILE]
    return pd.DataFrame(rows, columns=RUN_COLUMNS)


def _row(run: ImportedRun) -> dict[str, object]:
    series = {one.channel.name: one for one in run.series}
    powers_w = series["nvidia-smi/gpu-0/power"].values
    return {
        "stage": run.treatment.stage,
        "model": run.treatment.workload,
        "framework": run.treatment.framework,
        "repetition": run.repetition,
        **{name: float(series[channel].values[-1]) for name, channel in ENERGIES.items()},
        "run_time_s": run.duration_ns / NS_PER_S,
        "readings": len(powers_w),
        "first_gpu_w": float(powers_w[0]),
    }
