"""How far the ratios can be trusted: equal work, blocks, noise, and how small a difference could be seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from harness.analysis.campaign_findings import CONTROLS
from harness.analysis.groups import Group
from harness.analysis.quantities import leads
from harness.analysis.replicates import BLOCKS
from harness.analysis.suite_versions import in_words, suite_versions
from harness.analysis.summary import Analysis
from harness.findings.codes import Code
from harness.records import IMPORTED
from harness.store import Campaign
from reports.commands import command_for_more, command_that_proves
from reports.formats import listed, percent, plural
from reports.resolution import NEVER, typeset
from reports.resolution import of as resolution_of
from reports.resolution import percent as rough
from reports.trust_fact import DOUBTFUL, SOUND, TrustFact, few
from reports.wording import IMPORTED_WORK

MORE_BLOCKS = 10
FEW_BLOCKS = 6  # fewest pairs with which a signed-rank test could reach 5 % (rule R32)
CALIBRATION = "Calibration"


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
        f"Of {few(works)} nobody has shown it: no verdict." if works else "Nobody has shown it: no verdict."
    )
    return TrustFact("Equal work", "not proven", words, DOUBTFUL, command_that_proves(campaign.record, works))


def blocks(analysis: Analysis, campaign: Campaign) -> TrustFact:
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


def versions(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
    """Of the suite, where it was updated in between."""
    found = suite_versions(campaign.record, campaign.runs)
    if len(found) < 2:
        return None
    words = in_words(found)
    if any(one.code == Code.SUITE_CHANGED for one in analysis.doubts):
        words += ": no verdict where two measured one block"
    return TrustFact("Suite", f"{len(found)} versions", f"{words[:1].upper()}{words[1:]}.", DOUBTFUL)


def noise(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
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


def smallest(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
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


def calibration(analysis: Analysis, campaign: Campaign) -> TrustFact | None:
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
