"""How far the first screen can be trusted: each fact with what mends it, as a command to copy."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from harness.analysis.campaign_findings import CONTROLS
from harness.analysis.groups import Group
from harness.analysis.quantities import leads
from harness.analysis.replicates import BLOCKS
from harness.analysis.suite_versions import in_words, suite_versions
from harness.analysis.summary import Analysis
from harness.findings.codes import Code, Severity
from harness.findings.registry import TABLES
from harness.records import IMPORTED, Finding, Provenance
from harness.store import Campaign, Run
from reports.commands import command_again, command_for_more, command_that_proves, command_with_settings
from reports.formats import listed, percent, plural
from reports.resolution import NEVER, typeset
from reports.resolution import of as resolution_of
from reports.resolution import percent as rough
from reports.wording import IMPORTED_WORK, badge_of_all
from suite.task import INFER, TRAIN

FETCH = re.compile(r"suite data fetch \w[\w.-]{0,99}")
RUNS_ON = re.compile(r"(\S+) runs on ")
SOUND, DOUBTFUL = "sound", "doubtful"
FULL = "standard"  # the profile that leaves no work out
MORE_BLOCKS = 10
FEW_BLOCKS = 6  # fewest pairs with which a signed-rank test could reach 5 % (rule R32)
DISTURBING = TABLES["The machine"]
TOO_SHORT = (Code.WINDOW_TOO_SHORT, Code.PART_TOO_SHORT)
LENGTHENS = {TRAIN: "epochs or iterations", INFER: "infer_passes"}  # by stage; of all others the requests
CALIBRATION = "Calibration"
WORDS: Mapping[str, str] = {
    Provenance.MEASURED: "Read from meters of this machine.",
    Provenance.DERIVED: "Derived from other readings.",
    Provenance.ESTIMATED: "From CPU time and a model of power: no meter was read.",
    Provenance.SIMULATED: "From an emulated meter: no machine used these joules.",
}
GPU_ALONE = "Of GPUs alone: the CPUs that feed them are not in it."


@dataclass(frozen=True)
class TrustFact:
    """`words` on `title`; `grade` is SOUND or DOUBTFUL; `command`: the remedy, empty where none is known."""

    title: str
    value: str
    words: str
    grade: str = SOUND
    command: str = ""


def trust(analysis: Analysis, campaign: Campaign) -> list[TrustFact]:
    """Empty where no run counts: there is nothing to trust."""
    if not len(analysis.counted):
        return []
    facts = (
        _energy, _short, _disturbed, _data, equal_work, _blocks, _versions, _noise, _smallest, _calibration,
    )  # fmt: skip
    return [one for fact in facts if (one := fact(analysis, campaign))]


def _energy(analysis: Analysis, campaign: Campaign) -> TrustFact:
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


def _short(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
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
    return ", ".join(f"{setting} of {_few(list(works))}" for setting, works in found.items())


def _disturbed(analysis: Analysis, campaign: Campaign) -> TrustFact:
    """Runs that count, though the machine did something else, too."""
    count, codes = _told(analysis, campaign, DISTURBING)
    value = f"{count} of {plural(len(analysis.counted), 'run')}"
    if not count:
        return TrustFact("Disturbed", value, "Nothing else was seen on the machine.")
    return TrustFact(
        "Disturbed", value, f"{_few(codes)}: the section Validity lists them.", DOUBTFUL, "suite doctor"
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


def _few(names: Sequence[str]) -> str:
    """Up to three, of more the first two and how many others."""
    return listed(names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"])


def _data(analysis: Analysis, campaign: Campaign) -> TrustFact:
    """Whether it is the work that was published, or a smaller one."""
    shown = {group.workload for group in analysis.groups}
    missing = [one for one in campaign.record.findings if _stands_in(one, shown)]
    names = _few(list(dict.fromkeys(group.dataset for group in analysis.groups)))
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


def equal_work(analysis: Analysis, campaign: Campaign) -> TrustFact:
    if campaign.record.isolation == IMPORTED:
        return TrustFact("Equal work", "not proven", IMPORTED_WORK, DOUBTFUL)
    codes = (Code.NOT_VERIFIED, Code.ONE_IMPLEMENTATION, Code.COMPUTED_OTHERWISE, Code.UNTOLD_RESULTS)
    shown = {group.workload for group in analysis.groups}
    doubts = [one for one in analysis.doubts if one.code in codes and (not one.work or one.work[0] in shown)]
    works = list(dict.fromkeys(one.work[0] for one in doubts if one.work))
    if not doubts:
        return TrustFact("Equal work", "proven", "All compute the same, to rounding.")
    words = (
        f"Of {_few(works)} nobody has shown it: no verdict." if works else "Nobody has shown it: no verdict."
    )
    return TrustFact("Equal work", "not proven", words, DOUBTFUL, command_that_proves(campaign.record, works))


def _blocks(analysis: Analysis, campaign: Campaign) -> TrustFact:
    """Of each work its own: a campaign by turns gives some more than others."""
    several = [int(group.select(analysis.counted)["block"].nunique()) for group in _told_of(analysis)]
    least, most = min(several), max(several)
    value = str(most) if least == most else f"{least} to {most}"
    few = f"Only {least} in {several.count(least)} of {len(several)} works. " if least < most else ""
    if least >= FEW_BLOCKS or campaign.record.isolation == IMPORTED:
        return TrustFact("Blocks", value, f"{few}Each holds every treatment once, in random order.")
    words = f"{few}With fewer than {FEW_BLOCKS} an interval is wide, and a verdict may rest on one block."
    more = command_for_more(campaign.record, "-r", str(max(MORE_BLOCKS, 2 * most)))
    return TrustFact("Blocks", value, words, DOUBTFUL, more)


def _told_of(analysis: Analysis) -> list[Group]:
    """Work of which runs count, that of several frameworks where there is any: the rows of the matrix."""
    measured = [one for one in analysis.groups if len(one.select(analysis.counted))]
    return [one for one in measured if len(one.treatments) > 1] or measured


def _versions(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
    """Of the suite, where it was updated in between."""
    found = suite_versions(campaign.record, campaign.runs)
    if len(found) < 2:
        return None
    words = in_words(found)
    if any(one.code == Code.SUITE_CHANGED for one in analysis.doubts):
        words += ": no verdict where two measured one block"
    return TrustFact("Suite", f"{len(found)} versions", f"{words[:1].upper()}{words[1:]}.", DOUBTFUL)


def _noise(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
    """What always does the same, the control, tells of the machine what no comparison of frameworks can."""
    told = listed(_shares(analysis.outlook.noise.items()))
    if not told:
        return None
    unsteady = {
        CONTROLS[one.seen_in]: one.up_to
        for one in analysis.doubts
        if one.code == Code.CONTROL_UNSTEADY and one.up_to
    }
    if not unsteady:
        return _noise_of_few(analysis, campaign, told)
    spread = listed(f"{name} by {typeset(rough(up_to)).rstrip('.')}" for name, up_to in unsteady.items())
    words = (
        f"The machine itself varied: of the same control work {spread}. No smaller difference has a verdict."
    )
    return TrustFact("Noise of a run", told, words, DOUBTFUL, "suite doctor")


def _noise_of_few(analysis: Analysis, campaign: Campaign, told: str) -> TrustFact:
    """A tick stands for most of the work, or for none."""
    works = _told_of(analysis)
    telling = sum(_tells_noise(one.select(analysis.costs)) for one in works)
    words = (
        "How far a run strays by chance (standard deviation, the median), told by how ratios differ between the "
        f"blocks of {telling} of {plural(len(works), 'work')}."
    )
    if 2 * telling > len(works):
        return TrustFact("Noise of a run", told, words)
    return TrustFact(
        "Noise of a run", told, words, DOUBTFUL, command_for_more(campaign.record, "-r", str(MORE_BLOCKS))
    )


def _tells_noise(costs: pd.DataFrame) -> bool:
    """One block has no spread."""
    leading = costs["quantity"].isin([one.name for one in leads()]) & costs["ratio"].notna()
    return bool((leading & (costs["over"] == BLOCKS) & (costs["blocks"] > 1)).any())


def _smallest(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
    """Above the margin, nothing but large differences can be decided."""
    smallest = analysis.outlook.smallest
    told = listed(_shares(smallest.items()))
    if not told:
        return None
    coarse = any(one is not None and one > analysis.margin for one in smallest.values())
    words = f"Found in 80 % of such campaigns; the margin is {percent(analysis.margin)}."
    return TrustFact(
        "Smallest difference seen", told, typeset(words.rstrip(".")), DOUBTFUL if coarse else SOUND,
        command_for_more(campaign.record, "--until", f"{100 * analysis.margin:g}%") if coarse else "",
    )  # fmt: skip


def _calibration(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
    """Where there is none, though one may be made; what one tells stands below the first screen."""
    words = resolution_of(campaign).words
    if not words.startswith(NEVER):
        return None
    why = typeset(words.removeprefix(NEVER).strip(" ()"))
    told = f"What this machine can tell apart is not known. {why}".rstrip()
    return TrustFact(CALIBRATION, "none", told, DOUBTFUL, "suite calibrate")


def _shares(several: Iterable[tuple[str, float | None]]) -> Iterator[str]:
    words = {lead.name: lead.words for lead in leads()}
    yield from (
        typeset(f"{rough(share)} of {words[name]}").rstrip(".")
        for name, share in several
        if share is not None
    )
