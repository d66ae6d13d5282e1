"""Tables 5 (PyTorch) and 7 (TensorFlow), training: calls, own seconds and share of the costliest API functions."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.importers.base import Imported
from harness.records import Purpose
from harness.studies.base import PrintedCell, Remark, printed
from harness.studies.icse22.profiles import functions
from harness.studies.icse22.runs import FRAMEWORKS, MODELS
from harness.studies.matching import Printed

KEY = ["stage", "model", "framework"]
COLUMNS = {"calls": "", "own_s": "s", "percent": "%"}
Profiles = dict[tuple[str, str, str], pd.DataFrame]


def cells(imported: Imported) -> Iterator[PrintedCell]:
    """Every printed function; where the profile is not among the files, its numbers stand alone and are not judged."""
    profiles = _profiles(imported)
    for one in printed("icse22_api_costs.csv").to_dict("records") if profiles else ():
        profile = profiles.get((one["stage"], one["model"], one["framework"]))
        found = None if profile is None else _found(profile, one["api"], int(one["calls"]))
        row = f"{MODELS[one['model']]} {FRAMEWORKS[one['framework']]} {one['stage']} {one['api']}"
        for column, unit in COLUMNS.items():
            ours = None if found is None else float(found[column])
            published = Printed.of(one[column])
            yield PrintedCell(one["table"], row, column, published, ours, unit, compared=profile is not None)


def named_otherwise(imported: Imported) -> Iterator[Remark]:
    """Printed functions whose calls are, in the profile, those of a function of another name."""
    profiles = _profiles(imported)
    for one in printed("icse22_api_costs.csv").to_dict("records"):
        profile = profiles.get((one["stage"], one["model"], one["framework"]))
        found = None if profile is None else _found(profile, one["api"], int(one["calls"]))
        if found is not None and found["api"] != one["api"]:
            yield Remark(
                "function-named-otherwise",
                f"table {one['table']}, {MODELS[one['model']]}: {one['api']} is printed with {one['calls']} calls; in "
                f"the profile none of that name takes 1 %, and those calls are of {found['function']} in "
                f"{found['file']}",
            )


def _profiles(imported: Imported) -> Profiles:
    profiled = [run for run in imported.runs if run.purpose == Purpose.PROFILE]
    return {
        (run.treatment.stage, run.treatment.workload, run.treatment.framework): _in_percent(functions(run))
        for run in profiled
    }


def _in_percent(found: pd.DataFrame) -> pd.DataFrame:
    return found.assign(percent=100 * found["share"])


def _found(profile: pd.DataFrame, api: str, calls: int) -> pd.Series | None:
    """The function of that name; else the one that was called as often."""
    for same in (profile["api"] == api, profile["calls"] == calls):
        if same.any():
            return profile[same].iloc[0]
    return None
