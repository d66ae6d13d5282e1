"""What speaks against these numbers: findings, excluded runs, skipped treatments, missing meters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any

import pandas as pd

from harness.analysis.groups import name_of
from harness.analysis.summary import Analysis
from harness.findings.codes import Severity
from harness.records import Finding, Unavailable
from harness.store import Campaign
from reports import thinned
from reports.formats import Unit, listed, plural
from reports.parts import Cell, Column, Row, Table
from reports.units import unit_of_runs

TITLE, ORDER = "Validity", 60
SHOWN = 3  # messages of a finding that differ
BASELINE_UNITS = {
    "idle_power_w": "W",
    "container_idle_power_w": "W",
    "control_energy_j": "J",
    "control_duration_s": "s",
}
SEVERITIES: tuple[str, ...] = tuple(Severity)


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    tables = (
        _findings(analysis, campaign),
        _baselines(analysis),
        _excluded(analysis),
        _open(analysis),
        _skipped(campaign),
        _unavailable(campaign),
    )
    return {"tables": [table for table in tables if table.rows], "baseline": _baseline(analysis)}


def _baseline(analysis: Analysis) -> str:
    """What was taken off, and that the page's joules are gross all the same (rule R25)."""
    of_blocks: list[float] = list(analysis.baselines["idle_power_w"].dropna())
    idle_w = of_blocks or (list(analysis.runs["idle_power_w"].dropna()) if len(analysis.runs) else [])
    if not idle_w:
        return (
            "No baseline was taken: every joule on this page is gross, with the machine's idle power in it."
        )
    watts = unit_of_runs(analysis, "W")
    low, high = watts.text(min(idle_w)), watts.text(max(idle_w))
    return (
        f"Before each block the idle machine was sampled: {low} to {high}. Every joule on this page is gross; "
        "the export has energy_net_j, which is gross minus that power times the run's time."
    )


def _baselines(analysis: Analysis) -> Table:
    """Only where a campaign had control runs: the idle power stands in words above."""
    every = analysis.baselines.dropna(subset=["control_duration_s"])
    known = every[thinned.even(len(every), thinned.MOST_ROWS)]
    rows = [
        (
            str(block),
            *(_shown(row[name], unit_of_runs(analysis, unit)) for name, unit in BASELINE_UNITS.items()),
            str(row["provenance"]) if row["provenance"] else "unknown",
        )
        for block, row in known.iterrows()
    ]
    titles = {
        "block": "Block",
        "idle": "Idle machine",
        "container": "Idle container",
        "energy": "Control work, energy",
        "time": "Control work, time",
        "provenance": "Energy is",
    }
    return _table("baselines", "The machine before each block", titles, rows, whole=len(every))


def _shown(value: float, unit: Unit) -> str:
    return "unknown" if pd.isna(value) else unit.text(value)


def _table(
    key: str,
    caption: str,
    columns: dict[str, str],
    rows: Sequence[tuple[str, ...]],
    mark: int = -1,
    whole: int = 0,
) -> Table:
    """Plain text cells; the column `mark` stands out. `whole`: so many rows there are, if not all are given."""
    body = tuple(
        Row(cells[0], tuple(Cell("", mark=text) if i == mark else Cell(text) for i, text in enumerate(cells)))
        for cells in rows
    )
    heads = tuple(Column(name, title) for name, title in columns.items())
    remarks = (thinned.some_of(len(rows), whole),) if whole > len(rows) else ()
    return Table(key, caption, heads, body, remarks=remarks)


def _findings(analysis: Analysis, campaign: Campaign) -> Table:
    """Each kind once, with the runs that carry it: their messages differ in numbers only."""
    places: dict[tuple[str, str, str], dict[str, None]] = {}
    messages: dict[tuple[str, str, str], dict[str, None]] = {}
    for place, finding in _placed(analysis, campaign):
        key = finding.severity, finding.code, finding.advice
        places.setdefault(key, {})[place] = None
        messages.setdefault(key, {})[finding.message] = None
    rows = [
        (code, severity, _where(list(places[key])), _some(list(messages[key])), advice)
        for key in sorted(places, key=_by_severity)
        for severity, code, advice in [key]
    ]
    titles = {
        "code": "Finding",
        "severity": "Severity",
        "where": "Where",
        "message": "What",
        "advice": "Advice",
    }
    return _table("findings", "Findings", titles, rows, mark=1)


def _placed(analysis: Analysis, campaign: Campaign) -> Iterator[tuple[str, Finding]]:
    """Every finding with the run that carries it, the empty name for the campaign."""
    yield from (("", finding) for finding in (*campaign.record.findings, *analysis.findings))
    for run in campaign.runs:
        yield from ((run.record.planned.run_id, finding) for finding in run.record.findings)


def _where(places: list[str]) -> str:
    runs = [place for place in places if place]
    parts = ["campaign"] if "" in places else []
    return listed([*parts, plural(len(runs), "run")] if runs else parts)


def _some(messages: list[str]) -> str:
    more = len(messages) - SHOWN
    return "; ".join(messages[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _by_severity(key: tuple[str, str, str]) -> tuple[int, str]:
    severity, code, _ = key
    return (SEVERITIES.index(severity) if severity in SEVERITIES else 0), code


def _excluded(analysis: Analysis) -> Table:
    excluded = analysis.excluded
    rows = [
        (
            run["run_id"],
            run["outcome"],
            run["treatment"],
            f"{run['workload']} · {run['stage']}",
            run["exclusion"],
        )
        for run in excluded[thinned.even(len(excluded), thinned.MOST_ROWS)].to_dict("records")
    ]
    titles = {
        "run": "Run",
        "outcome": "Outcome",
        "treatment": "Framework",
        "work": "Workload",
        "reason": "Reason",
    }
    caption = "Runs that are in no figure (nothing is deleted)"
    return _table("excluded", caption, titles, rows, mark=1, whole=len(excluded))


def _open(analysis: Analysis) -> Table:
    kept = thinned.even(len(analysis.open), thinned.MOST_ROWS)
    rows = [
        (run.run_id, str(run.block), name_of(run.treatment), run.treatment.workload)
        for run in compress(analysis.open, kept)
    ]
    titles = {"run": "Run", "block": "Block", "treatment": "Framework", "work": "Workload"}
    return _table("open", "Planned runs that have not been carried out", titles, rows, whole=len(kept))


def _skipped(campaign: Campaign) -> Table:
    rows = [
        (
            name_of(one.treatment),
            f"{one.treatment.workload} · {one.treatment.stage} · {one.treatment.dataset}",
            one.reason,
        )
        for one in campaign.record.plan.skipped
    ]
    titles = {"treatment": "Framework", "work": "Workload", "reason": "Reason"}
    return _table("skipped", "Treatments that this machine cannot run", titles, rows)


def _unavailable(campaign: Campaign) -> Table:
    missing = [
        (one.meter, "the whole campaign", one.reason, one.remedy) for one in campaign.record.unavailable
    ]
    lost = Counter(_lost_key(one) for run in campaign.runs for one in run.record.lost)
    missing += [
        (meter, plural(count, "run"), reason, remedy) for (meter, reason, remedy), count in lost.items()
    ]
    titles = {"meter": "Meter", "where": "Missing in", "reason": "Reason", "remedy": "Remedy"}
    return _table("unavailable", "Meters that did not answer", titles, missing)


def _lost_key(one: Unavailable) -> tuple[str, str, str]:
    return one.meter, one.reason, one.remedy
