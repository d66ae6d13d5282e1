"""Whether campaigns did the same work, and what in them is unchanged: before their costs are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from harness.analysis import equal_work, same_measurement
from harness.analysis.groups import GROUP, grouped, name_of
from harness.analysis.withheld import Work, work_of
from harness.conformance import asked, kept_proofs
from harness.findings.codes import Code
from harness.records import IMPORTED, Purpose, RunRecord, Treatment
from harness.store import Campaign, Run

Key = tuple[Work, str]  # of which work, and which treatment ("torch 2.13.0")


@dataclass(frozen=True)
class Measured:
    """A campaign and the names of its runs that count."""

    campaign: Campaign
    counted: frozenset[str]

    @cached_property
    def runs(self) -> dict[Key, list[Run]]:
        found: dict[Key, list[Run]] = {}
        for run in self.campaign.runs:
            if run.record.planned.run_id in self.counted:
                found.setdefault(key_of(run.record.planned.treatment), []).append(run)
        return found

    @cached_property
    def proven(self) -> set[tuple[asked.Place, asked.Asked]]:
        proofs = kept_proofs.of_campaign(self.campaign.folder)
        return {name for one in proofs if one.passed for name in one.proves}

    @property
    def imported(self) -> bool:
        return self.campaign.record.isolation == IMPORTED

    @property
    def control(self) -> Run | None:
        return next(
            (one for one in self.campaign.runs if one.record.planned.purpose == Purpose.CONTROL), None
        )


def key_of(treatment: Treatment) -> Key:
    (group,) = grouped([treatment])
    return work_of(group), name_of(treatment)


def unchanged(sides: Sequence[Measured]) -> set[Key]:
    """Treatments that all campaigns have in the same environment and with the same workloads, as far as they tell."""
    first, *others = sides
    suite = {one.campaign.record.suite_sha256 for one in sides}
    if any(one.imported for one in sides) or len(suite) > 1 or suite == {""}:
        return set()
    return {key for key in first.runs if all(_same_inside(first, one, key) for one in others)}


def _same_inside(one: Measured, other: Measured, key: Key) -> bool:
    inside = [side.runs[key][0].record.environment for side in (one, other) if key in side.runs]
    same = len(inside) == 2 and bool(inside[0]) and not any(same_measurement.differing(*inside))
    return same and not (_datasets([key]) & _other_data(one, other))


def _datasets(keys: Iterable[Key]) -> set[str]:
    return {dict(zip(GROUP, work, strict=True))["dataset"] for work, _ in keys}


def _other_data(one: Measured, other: Measured) -> set[str]:
    """The data sets that hold something else in the other campaign."""
    return set(same_measurement.other_data(one.campaign.record, other.campaign.record))


def same_control(sides: Sequence[Measured]) -> bool:
    """Whether their control work is the same: it is standard library alone, so the interpreter and its base decide."""
    controls = [one.control for one in sides]
    return None not in controls and len({_of_the_control(run.record) for run in controls if run}) == 1


def _of_the_control(one: RunRecord) -> str:
    """All that it depends on; a stranger's record may hold anything."""
    rounds = one.planned.treatment.settings.get("rounds")
    return repr(
        (one.isolation, rounds, one.environment.get("python"), same_measurement.base_of(one.environment))
    )


def unequal(new: Key, old: Key, ours: Sequence[Measured], theirs: Sequence[Measured]) -> list[str]:
    """Why the work of a treatment of `ours` is not known to be that of one of `theirs`; empty where it is."""
    sides = [*((one, new) for one in ours), *((one, old) for one in theirs)]
    if any(one.imported for one, _ in sides):
        return [
            f"{Code.NOT_VERIFIED}: the runs of one of them were imported, so that nobody can prove their work equal"
        ]
    seeds = sorted({str(one.campaign.record.plan.seed) for one, _ in sides})
    if len(seeds) > 1:
        return [f"{Code.OTHER_SEED}: {' and '.join(seeds)}; what is computed from them cannot be compared"]
    same = new == old and new in unchanged([*ours, *theirs])
    found = [*_other_work(sides), *([] if same else _unproven(sides))]
    return list(dict.fromkeys(found))


def _other_work(sides: Sequence[tuple[Measured, Key]]) -> Iterator[str]:
    other = set().union(*(_other_data(sides[-1][0], one) for one, _ in sides))
    for dataset in sorted(other & _datasets(key for _, key in sides)):
        yield f"{Code.UNEQUAL_WORK}: {dataset} holds other data in the other campaign"
    runs = [run for one, key in sides for run in one.runs.get(key, [])]
    first = sides[-1][0].runs[sides[-1][1]][0]
    if why := next(filter(None, (equal_work.apart(run, first) for run in runs)), ""):
        yield f"{Code.UNEQUAL_WORK}: {why}, in the other campaign"


def _unproven(sides: Sequence[tuple[Measured, Key]]) -> Iterator[str]:
    for one, key in sides:
        treatment = one.runs[key][0].record.planned.treatment
        if not asked.provable(treatment.workload):
            yield f"{Code.ONE_IMPLEMENTATION}: no other implementation of {treatment.workload} proves its work"
        elif any((asked.place_of(treatment), kind) not in one.proven for kind in asked.of(treatment)):
            yield (
                f"{Code.NOT_VERIFIED}: no proof kept with {one.campaign.record.campaign_id} shows that "
                f"{key[1]} does the same work"
            )
