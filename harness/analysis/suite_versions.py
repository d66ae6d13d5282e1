"""Which versions of the suite measured a campaign: it may be updated, and the campaign resumed or merged. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from harness.findings.codes import Code
from harness.records import CampaignRecord, Finding, Purpose, RunRecord
from harness.records.planned import Work
from harness.store import Run

UNKNOWN = "a version that does not tell its name"
MOST_STRETCHES = 5  # of blocks that are told one by one


def suite_versions(record: CampaignRecord, stored: Iterable[Run]) -> dict[str, list[RunRecord]]:
    """Version, "" where none is told -> its measured runs, in the order in which they ran.

    Runs of before do not tell theirs: it is the campaign's, which no run of another could join in silence.
    """
    found: dict[str, list[RunRecord]] = {}
    for run in stored:
        if run.record.planned.purpose == Purpose.MEASURE:
            found.setdefault(run.record.made_by or record.made_by, []).append(run.record)
    return found


def suite_changed(record: CampaignRecord, stored: Iterable[Run]) -> Iterator[Finding]:
    """Where more than one has measured."""
    found = suite_versions(record, stored)
    if len(found) > 1:
        yield Finding.of(Code.SUITE_CHANGED, f"measured by {in_words(found)}")


def in_words(found: dict[str, list[RunRecord]]) -> str:
    """As "joulemark 0.1.0 (commit 8dfc059ab012) in blocks 1 to 3, joulemark 0.2.0 in block 4"."""
    return ", ".join(f"{named(version)} in {_blocks(runs)}" for version, runs in found.items())


def mixed_blocks(
    record: CampaignRecord, stored: Iterable[Run], counted: Collection[str]
) -> Iterator[tuple[Work, int]]:
    """Work and block of which several versions have measured runs that count, by their ids."""
    versions: dict[tuple[Work, int], set[str]] = {}
    for version, runs in suite_versions(record, stored).items():
        for run in runs:
            if run.planned.run_id in counted:
                versions.setdefault((run.planned.treatment.work, run.planned.block), set()).add(version)
    yield from (key for key, several in versions.items() if len(several) > 1)


def named(version: str) -> str:
    """Of "", who does not tell."""
    return f"joulemark {version}" if version else UNKNOWN


def _blocks(runs: Iterable[RunRecord]) -> str:
    """In merged campaigns another version's may lie in between: "blocks 1 to 3 and 7"."""
    numbers = {run.planned.block for run in runs}
    firsts = sorted(one for one in numbers if one - 1 not in numbers)
    lasts = sorted(one for one in numbers if one + 1 not in numbers)
    if len(firsts) > MOST_STRETCHES:
        return f"{len(numbers)} blocks between {firsts[0]} and {lasts[-1]}"
    several = [_stretch(*ends) for ends in zip(firsts, lasts, strict=True)]
    return f"block{'s' if len(numbers) > 1 else ''} {' and '.join(several)}"


def _stretch(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"
