"""A framework's own operators as its profiler told them, in one table of a run's folder."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from harness.profiling import csv_files
from harness.profiling.csv_files import AMOUNT, COUNT, TEXT, UNKNOWN

OPERATORS_FILE = "operators.csv"
REMEDY = "profile anew: suite profile --tool operators"
_OPERATORS = {
    "name": TEXT, "scope": TEXT, "calls": COUNT, "seconds": AMOUNT, "bytes": UNKNOWN, "flops": UNKNOWN,
    "recorded_s": AMOUNT, "source": TEXT,
}  # fmt: skip
_WHEN = {"began_ns": UNKNOWN, "covered_s": UNKNOWN}  # which files of before do not tell
OPERATOR_COLUMNS = [*_OPERATORS, *_WHEN]


def read(folder: Path) -> pd.DataFrame:
    """OPERATOR_COLUMNS. Raises: UsageError where there is none, or what lies there is none."""
    return csv_files.read(folder, OPERATORS_FILE, _OPERATORS, REMEDY, _WHEN)
