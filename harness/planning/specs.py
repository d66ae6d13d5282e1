"""The spec of a treatment: NumPy and numbers, no framework, so that the statistics, too, may ask for it."""

from __future__ import annotations

import importlib
from functools import cache

from harness import paths
from harness.records import Treatment
from suite.spec import SettingError, Spec


def of(treatment: Treatment) -> Spec | None:
    """As the treatment sets it; None of a workload, data set or setting that this checkout does not have."""
    spec = _of_workload(treatment.workload)
    try:
        return spec and spec.with_dataset(treatment.dataset).with_settings(treatment.settings)
    except SettingError:  # of a stranger's plan
        return None


@cache
def _of_workload(name: str) -> Spec | None:
    known = {path.parent.name for path in paths.SUITE.glob("*/spec.py")}
    return importlib.import_module(f"suite.{name}.spec").SPEC if name in known else None
