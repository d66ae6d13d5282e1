"""Where what an export does not have lies instead: the tables of runs that were profiled within their environments."""

from __future__ import annotations

from harness.records import Profiler
from harness.store import Campaign

FILES = {
    Profiler.CPROFILE: "functions.csv, calls.csv and calls.svg",
    Profiler.OPERATORS: "operators.csv",
}


def told_instead(campaign: Campaign) -> str:
    """The end of a sentence that says what is not there; empty where no run was profiled so."""
    found = {one.profiler for one in campaign.record.order}
    files = [f"{files} (by --tool {profiler})" for profiler, files in FILES.items() if profiler in found]
    return f"; in each run's folder: {'; '.join(files)}" if files else ""
