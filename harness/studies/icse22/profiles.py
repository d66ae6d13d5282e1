"""Tables 5 to 8: the functions that took most of the time of a profiled run, with their names in the framework."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pandas as pd

from harness.analysis import api_names
from harness.analysis.function_times import costliest
from harness.importers.base import Imported, ImportedRun
from harness.profiling.function_files import FUNCTIONS_FILE
from harness.records import Purpose
from harness.studies.base import PrintedCell, printed
from harness.studies.icse22.runs import FRAMEWORKS
from harness.studies.matching import Printed

TABLE = "5-8"
ALL_PROFILES = 24


def cells(imported: Imported) -> Iterator[PrintedCell]:
    """Calls, own seconds and share of every function of at least 1 %; how often each API function is one of them."""
    profiles = {_title(run): functions(run) for run in imported.runs if run.purpose == Purpose.PROFILE}
    for title, found in profiles.items():
        for place, one in enumerate(found.to_dict("records"), 1):
            row = f"{title} #{place} {one['api'] or one['function']}"
            yield PrintedCell(TABLE, row, "calls", None, float(one["calls"]), "")
            yield PrintedCell(TABLE, row, "own time", None, round(one["own_s"], 3), "s")
            yield PrintedCell(TABLE, row, "share", None, round(100 * one["share"], 2), "%")
    if len(profiles) == ALL_PROFILES:
        yield from _frequencies(profiles)


def functions(run: ImportedRun) -> pd.DataFrame:
    """The profile's functions of at least 1 %, the costliest first, with `api`, empty where it is none's."""
    one = run.treatment
    found = costliest(pd.read_csv(io.StringIO(run.attachments[FUNCTIONS_FILE])), one.framework)
    pairs = zip(found["file"], found["function"], strict=True)
    return found.assign(api=[api(file, function, one.framework, one.stage) for file, function in pairs])


def api(file: str, function: str, framework: str, stage: str) -> str:
    """The public name; the study calls what runs a graph by what it was called for (data/icse22_api.csv)."""
    return _study_names().get((framework, stage, function)) or api_names.api(file, function, framework)


@cache
def _study_names() -> dict[tuple[str, str, str], str]:
    table = printed("icse22_api.csv")
    return {(framework, stage, function): name for framework, stage, function, name in table.to_numpy()}


def _title(run: ImportedRun) -> str:
    one = run.treatment
    return f"{one.workload} {FRAMEWORKS.get(one.framework, one.framework)} {one.stage}"


def _frequencies(profiles: dict[str, pd.DataFrame]) -> Iterator[PrintedCell]:
    """In how many of the 24 profiles each function is above 1 %, beside the artifact's own list."""
    ours = Counter(name for found in profiles.values() for name in set(found["api"]))
    for name, published in printed("icse22_functions.csv").to_numpy():
        yield PrintedCell(
            "artifact's list of functions", name, "profiles", Printed.of(published), float(ours[name]), ""
        )
