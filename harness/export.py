"""One row per run, for spreadsheets and notebooks."""

from __future__ import annotations

from harness.analysis.tables import RUN_COLUMNS, tables
from harness.store import Campaign

WHOLE = ["memory_peak_bytes", "samples", "steps", "parameters"]  # counts: no decimal point


def runs_csv(campaign: Campaign) -> str:
    """RUN_COLUMNS of every stored run, excluded ones too; unknown is an empty cell, floats read back exactly."""
    runs = tables(campaign).runs
    whole = {name: runs[name].round().astype("Int64") for name in WHOLE}
    return runs.assign(**whole).to_csv(index=False, columns=RUN_COLUMNS, lineterminator="\n")
