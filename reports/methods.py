"""The methods of a campaign as a text for a paper, with what it cites: of the records alone, ready to paste."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.analysis.multiplicity import WORDS
from harness.analysis.summary import Analysis
from harness.analysis.withheld import reasons
from harness.files.untrusted import printable
from harness.findings.codes import Code
from harness.records import IMPORTED
from harness.store import Campaign
from reports import errors_told, machine_words, protocol_words
from reports.citations import KEY, STUDIES, software_version, suite_entry
from reports.formats import THIN, listed, percent, plural
from reports.trust_of_ratios import equal_work
from reports.wording import SURE


@dataclass(frozen=True)
class Methods:
    """`paragraphs` cite by the keys of `bibtex`, in brackets."""

    paragraphs: tuple[str, ...]
    bibtex: str

    @property
    def text(self) -> str:
        """The paragraphs as plain text, without what a terminal obeys."""
        return "\n\n".join(" ".join(map(printable, one.split())) for one in self.paragraphs)


def methods(analysis: Analysis, campaign: Campaign) -> Methods | None:
    """None where no run counts: nothing was measured."""
    if not len(analysis.counted):
        return None
    several = (
        _what(analysis, campaign),
        protocol_words.protocol(analysis, campaign),
        protocol_words.energy(campaign),
        _statistics(analysis, campaign),
        _equipment(campaign),
    )
    study = STUDIES.get(campaign.record.plan.profile)
    entries = [suite_entry(), *([study.bibtex] if study and study.bibtex else [])]
    return Methods(tuple(" ".join(filter(None, one)) for one in several), "\n\n".join(entries))


def _what(analysis: Analysis, campaign: Campaign) -> Iterator[str]:
    record = campaign.record
    works: dict[str, dict[str, None]] = {}
    for group in analysis.groups:
        works.setdefault(f"{group.workload} on {group.dataset}", {})[group.stage] = None
    told = listed(f"{work} ({listed(stages)})" for work, stages in works.items())
    names = listed(dict.fromkeys(name for group in analysis.groups for name in group.treatments))
    imported = record.isolation == IMPORTED
    verb = "Other tools measured" if imported else "We measured"
    yield f"{verb} {told} with {names}; campaign {record.campaign_id}, created {record.created}."
    yield f"It was analysed with Joulemark {software_version()} [{KEY}]."
    yield from (
        one.message[:1].upper() + one.message[1:] + "." for one in analysis.findings if _in_part(one.code)
    )
    if _compared(analysis):
        proof = equal_work(analysis, campaign)
        yield f"Equal work of the implementations: {proof.value}. {proof.words}"


def _in_part(code: str) -> bool:
    return code == Code.TOLD_IN_PART


def _compared(analysis: Analysis) -> bool:
    costs = analysis.costs
    return bool((costs["ratio"].notna() & (costs["treatment"] != costs["reference"])).any())


def _statistics(analysis: Analysis, campaign: Campaign) -> Iterator[str]:
    """How ratios were told; that there are none where one treatment stands alone."""
    costs = analysis.costs
    if not _compared(analysis):
        yield "Nothing is compared: there is no ratio, and no test."
        return
    references = listed(dict.fromkeys(costs["reference"].dropna()))
    held = listed(dict.fromkeys(WORDS[one] for one in costs["errors"].dropna()))
    over = listed(dict.fromkeys(costs["over"].dropna())) or "blocks"
    yield (
        f"Costs are geometric means over runs. They are compared as ratios to {references}, paired within {over}, with "
        f"{SURE} intervals (Student's t of the logarithms, and what measuring leaves unsure)."
    )
    yield f"Several ratios at once: {held or 'unknown'}." if held else ""
    until = campaign.record.plan.until
    level = "that error" if until else f"5{THIN}%"
    yield (
        "A cost differs where the whole interval lies on one side of 1; it is equivalent where two one-sided tests at "
        f"{level} show the ratio to lie within {percent(analysis.margin)} of 1; all else is inconclusive. No run was "
        "removed for its value."
    )
    yield from _looks(campaign)
    if found := reasons(costs):
        yield f"Verdicts are withheld where a finding speaks against them ({plural(len(found), 'reason')} here)."


def _looks(campaign: Campaign) -> Iterator[str]:
    if until := campaign.record.plan.until:
        yield (
            f"Intervals are widened for {plural(len(until.looks), 'look')} at each ratio, declared before the first "
            f"run: all looks at one ratio err together in {errors_told.each_ratio(until)} ({until.method})."
        )


def _equipment(campaign: Campaign) -> Iterator[str]:
    yield machine_words.machine(campaign)
    yield machine_words.software(campaign)
    yield machine_words.data(campaign)
    yield machine_words.sources(campaign)
