"""Whether the files' meters can be right: imported runs are held against the same physics as measured ones."""

from __future__ import annotations

from dataclasses import replace

from harness import checks
from harness.findings.codes import Severity
from harness.importers.base import ImportedRun
from harness.records import Finding, Outcome

ADVICE = "look at the meter that wrote the file: the run is kept, and is in no figure"
SECOND = "look at the meter that wrote the file: the run's energy does not depend on it"


def held(run: ImportedRun) -> ImportedRun:
    """The run with what its counters and gauges cannot have shown; invalid where that is in its energy."""
    findings = tuple(_advised(one) for one in _breaches(run))
    wrong = checks.reason_invalid(findings)
    if not wrong or run.outcome is not Outcome.OK:
        return replace(run, findings=(*run.findings, *findings))
    return replace(run, findings=(*run.findings, *findings), outcome=Outcome.INVALID, reason=wrong)


def _breaches(run: ImportedRun) -> list[Finding]:
    """One file's columns are meters of their own: a child that goes round does not touch its package."""
    begin_ns = run.begin_ns or 0
    window = begin_ns, begin_ns + run.duration_ns
    addends = [one for one in run.series if one.channel.boundary]
    others = [one for one in run.series if not one.channel.boundary]
    return [
        *checks.counter_impossible(addends, *window),
        *checks.counter_stood_still(addends, *window),
        *checks.counter_impossible(others, *window),
    ]


def _advised(finding: Finding) -> Finding:
    return finding.model_copy(update={"advice": ADVICE if finding.severity == Severity.INVALID else SECOND})
