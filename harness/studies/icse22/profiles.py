"""Tables 5 to 8: the functions that took most of the time of a profiled run, with their names in the framework."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pandas as pd

from harness.importers.base import Imported, ImportedRun
from harness.importers.formats.prengdl import FUNCTIONS_FILE
from harness.records import Purpose
from harness.studies.base import PrintedCell, printed
from harness.studies.icse22.runs import FRAMEWORKS
from harness.studies.matching import Printed

TABLE = "5-8"
LEAST_SHARE = 0.01
ALL_PROFILES = 24
PACKAGED = re.compile(r".*/(?:site|dist)-packages/(?P<module>.+)\.py")
TENSOR = re.compile(r"<method '(?P<name>\w+)' of 'torch\._C\._TensorBase' objects>")
BUILT_IN = re.compile(r"<built-in method (?P<name>[\w.]+)>")


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
    found = pd.read_csv(io.StringIO(run.attachments[FUNCTIONS_FILE]))
    found = found[found["share"] >= LEAST_SHARE]
    one = run.treatment
    pairs = zip(found["file"], found["function"], strict=True)
    return found.assign(api=[api(file, function, one.framework, one.stage) for file, function in pairs])


def api(file: str, function: str, framework: str, stage: str) -> str:
    """The public name of what cProfile saw: a C function by data/icse22_api.csv, a Python one by its module."""
    for named in (stage, ""):
        if name := _known().get((framework, named, function)):
            return name
    if framework == "torch" and (match := TENSOR.fullmatch(function)):
        return f"torch.Tensor.{match['name']}"
    if framework == "torch" and (match := BUILT_IN.fullmatch(function)) and "." not in match["name"]:
        return f"torch.{match['name']}"
    if match := PACKAGED.fullmatch(file):
        return f"{match['module'].replace('/', '.')}.{function}"
    return ""


@cache
def _known() -> dict[tuple[str, str, str], str]:
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
