"""How far the runs can be trusted: where their joules come from, what disturbed them, on which data they are."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from harness.analysis.summary import Analysis
from harness.findings.codes import Code, Severity
from harness.findings.registry import TABLES
from harness.records import IMPORTED, Finding, Provenance
from harness.store import Campaign, Run
from reports.commands import command_again, command_with_settings
from reports.formats import listed, plural
from reports.trust_fact import DOUBTFUL, FULL, TrustFact, few
from reports.wording import badge_of_all
from suite.task import INFER, TRAIN

FETCH = re.compile(r"suite data fetch \w[\w.-]{0,99}")
RUNS_ON = re.compile(r"(\S+) runs on ")
DISTURBING = TABLES["The machine"]
TOO_SHORT = (Code.WINDOW_TOO_SHORT, Code.PART_TOO_SHORT)
LENGTHENS = {TRAIN: "epochs or iterations", INFER: "infer_passes"}  # by stage; of all others the requests
WORDS: Mapping[str, str] = {
    Provenance.MEASURED: "Read from meters of this machine.",
    Provenance.DERIVED: "Derived from other readings.",
    Provenance.ESTIMATED: "From CPU time and a model of power: no meter was read.",
    Provenance.SIMULATED: "From an emulated meter: no machine used these joules.",
}
GPU_ALONE = "Of GPUs alone: the CPUs that feed them are not in it."


def energy(analysis: Analysis, campaign: Campaign) -> TrustFact:
    badge = badge_of_all(analysis.counted)
    if not badge:
        return TrustFact("Energy", "NOT KNOWN", "No run has joules.", DOUBTFUL, "suite doctor")
    words = WORDS.get(badge, "Joules of several kinds, which are never compared.")
    if badge == Provenance.MEASURED:
        if _without_cpus(analysis, campaign):
            return TrustFact("Energy", badge, GPU_ALONE, DOUBTFUL, "suite meters")
        return TrustFact("Energy", badge, words)
    command = "" if campaign.record.isolation == IMPORTED else "suite meters"
    return TrustFact("Energy", badge.upper(), words, DOUBTFUL, command)


def _without_cpus(analysis: Analysis, campaign: Campaign) -> bool:
    """Whether a sum that meters told is of GPUs alone, in any run that counts."""
    inside = set(analysis.counted["run_id"])
    found = (run.record.findings for run in campaign.runs if run.record.planned.run_id in inside)
    return any(one.code == Code.CPU_ENERGY_MISSING for several in found for one in several)


def short(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
    """Runs that count, but hardly began; the full profile takes longer, and else a plan of one's own."""
    runs, codes = _told(analysis, campaign, TOO_SHORT)
    if not runs or not badge_of_all(analysis.counted):
        return None
    value = f"{runs} of {plural(len(analysis.counted), 'run')}"
    words = f"{listed(codes)}: the joules of so short a time are uncertain."
    if campaign.record.isolation == IMPORTED:
        return TrustFact("Too short", value, words, DOUBTFUL)
    if any(one.code == Code.SCALED_DOWN for one in campaign.record.findings):
        return TrustFact("Too short", value, words, DOUBTFUL, command_again(campaign.record, profile=FULL))
    words += f" Raise {_what_lengthens(analysis, campaign)} in a plan file of your own:"
    return TrustFact("Too short", value, words, DOUBTFUL, command_with_settings(campaign.record))


def _what_lengthens(analysis: Analysis, campaign: Campaign) -> str:
    """By setting the workloads that it makes take longer: infer_passes of mnist_cnn and mnist_mlp."""
    found: dict[str, dict[str, None]] = {}
    for run in _counted_with(analysis, campaign, TOO_SHORT):
        work = run.record.planned.treatment
        found.setdefault(LENGTHENS.get(work.stage, "requests"), {})[work.workload] = None
    return ", ".join(f"{setting} of {few(list(works))}" for setting, works in found.items())


def disturbed(analysis: Analysis, campaign: Campaign) -> TrustFact:
    """Runs that count, though the machine did something else, too."""
    count, codes = _told(analysis, campaign, DISTURBING)
    value = f"{count} of {plural(len(analysis.counted), 'run')}"
    if not count:
        return TrustFact("Disturbed", value, "Nothing else was seen on the machine.")
    return TrustFact(
        "Disturbed", value, f"{few(codes)}: the section Validity lists them.", DOUBTFUL, "suite doctor"
    )


def _told(analysis: Analysis, campaign: Campaign, wanted: Container[str]) -> tuple[int, list[str]]:
    """Of how many runs that count a finding of these codes, worse than a remark, is told; and which."""
    found = [_codes(run, wanted) for run in _counted_with(analysis, campaign, wanted)]
    return len(found), sorted({code for codes in found for code in codes})


def _counted_with(analysis: Analysis, campaign: Campaign, wanted: Container[str]) -> Iterator[Run]:
    inside = set(analysis.counted["run_id"])
    yield from (one for one in campaign.runs if one.record.planned.run_id in inside and _codes(one, wanted))


def _codes(run: Run, wanted: Container[str]) -> set[str]:
    return {one.code for one in run.record.findings if one.code in wanted and one.severity != Severity.INFO}


def data(analysis: Analysis, campaign: Campaign) -> TrustFact:
    """Whether it is the work that was published, or a smaller one."""
    shown = {group.workload for group in analysis.groups}
    missing = [one for one in campaign.record.findings if _stands_in(one, shown)]
    names = few(list(dict.fromkeys(group.dataset for group in analysis.groups)))
    if missing:
        words = "Another data set stands in for one that is not prepared."
        return TrustFact("Data", names, words, DOUBTFUL, _command_that_fetches(missing))
    if any(one.code == Code.SCALED_DOWN for one in campaign.record.findings):
        words = f"Scaled down by profile {campaign.record.plan.profile}: no published work."
        return TrustFact("Data", names, words, DOUBTFUL, command_again(campaign.record, profile=FULL))
    return TrustFact("Data", names, "As the workloads ask for it.")


def _stands_in(finding: Finding, shown: Container[str]) -> bool:
    """Unless it is told of a workload that is not shown."""
    whose = RUNS_ON.match(finding.message)
    return finding.code == Code.DATA_NOT_PREPARED and (not whose or whose[1] in shown)


def _command_that_fetches(missing: Iterable[Finding]) -> str:
    """The first data set that is missing, as the finding names it, whose words are the campaign's own."""
    return next((one.advice for one in missing if FETCH.fullmatch(one.advice)), "suite data list")
