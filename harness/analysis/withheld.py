"""The verdicts that findings withhold (harness.findings says which), taken from rows of costs. Pure.

A ratio stays, with the reason beside it; its verdict is null, and nobody is best where somebody's verdict is withheld.
Findings that are not here warn and void nothing: what random blocks and intervals allow for (foreign load, a slowed
GPU, a control that spreads less than the difference claimed), and what makes a run invalid, which then does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import pandas as pd

from harness.analysis import campaign_findings as checks
from harness.analysis.groups import GROUP, TREATMENT, Group, grouped, name_of
from harness.analysis.plain_texts import records
from harness.analysis.quantities import named
from harness.analysis.quantity import Quantity
from harness.analysis.suite_versions import mixed_blocks
from harness.analysis.verdict import Verdict, log_margin
from harness.conformance import asked
from harness.conformance.kept_proofs import Proof
from harness.findings.codes import Code
from harness.findings.meaning import Voided
from harness.findings.registry import VOIDS, WITHHOLDING
from harness.records import IMPORTED, CampaignRecord, Finding, Purpose, Treatment
from harness.store import Run

Work = tuple[str, ...]  # values of GROUP

QUANTITIES_OF: Mapping[Voided, Callable[[Quantity], bool]] = {
    Voided.ALL: lambda one: True,
    Voided.ENERGY: lambda one: one.energy,
    Voided.NET_ENERGY: lambda one: one.name == "energy_net_j",
    Voided.TIME: lambda one: one.time,
}
AS_MUCH_AS_CLAIMED = ", as much as is claimed"
OF_RUNS = (Code.STALE_IMAGE, Code.COUNTER_DISAGREES)  # a run's own, which speak against its treatment


@dataclass(frozen=True)
class Doubt:
    """What speaks against the verdicts on a treatment (None: on all) of some work (None: of all).

    `up_to`: only against claims of no greater difference, as a share; None: against every verdict.
    """

    code: Code
    why: str
    seen_in: str = ""
    work: Work | None = None
    treatment: str | None = None
    up_to: float | None = None

    @property
    def words(self) -> str:
        return f"{self.code}: {self.why}"

    def speaks_of(self, quantity: object) -> bool:
        return QUANTITIES_OF[VOIDS[self.code][self.seen_in]](named(quantity))

    def voids(self, row: Mapping[Hashable, object]) -> bool:
        """A row of COST_COLUMNS, by its own treatment or by its reference."""
        return (
            self.speaks_of(row["quantity"])
            and (self.work is None or self.work == _work(row))
            and self.treatment in (None, row[TREATMENT], row["reference"])
            and (self.up_to is None or _claimed(row) <= np.log1p(self.up_to))
        )


def _claimed(row: Mapping[Hashable, object]) -> float:
    """How large a difference, on logarithms, a verdict speaks of; infinite where it claims nothing."""
    if row["verdict"] in (Verdict.BETTER, Verdict.WORSE):
        return abs(log(float(str(row["ratio"]))))
    return log_margin(float(str(row["margin"]))) if row["verdict"] == Verdict.EQUIVALENT else np.inf


def withhold(costs: pd.DataFrame, doubts: Sequence[Doubt]) -> pd.DataFrame:
    """COST_COLUMNS without the verdicts that a doubt voids; `ratio_reason` says why, of a reference, too."""
    if not doubts or costs.empty:
        return costs
    rows = records(costs)
    of_work: dict[Work | None, list[Doubt]] = {}
    for one in doubts:
        of_work.setdefault(one.work, []).append(one)
    near = ([*of_work.get(None, []), *of_work.get(_work(row), [])] for row in rows)
    found = [
        dict.fromkeys(one.words for one in several if one.voids(row))
        for row, several in zip(rows, near, strict=True)
    ]
    whys = pd.Series(["; ".join(words) for words in found], index=costs.index, dtype=object)
    void, told = whys != "", costs["ratio"].notna()
    dubious = void.groupby([costs[name] for name in (*GROUP, "quantity")]).transform("any")
    return costs.assign(
        verdict=costs["verdict"].where(~void | (costs["verdict"] == "reference"), None),
        ratio_reason=costs["ratio_reason"].where(~(void & told), whys),
        best=costs["best"].where(~dubious, False).astype(bool),
        rests_on=costs["rests_on"].where(~void, ""),
        may_be_cheapest=costs["may_be_cheapest"].where(~dubious, None),
    )


def voiding(row: Mapping[Hashable, object], doubts: Iterable[Doubt]) -> list[str]:
    """Why a row has no verdict, each reason once."""
    return list(dict.fromkeys(one.words for one in doubts if one.voids(row)))


def _work(row: Mapping[Hashable, object]) -> Work:
    return tuple(str(row[name]) for name in GROUP)


def withheld(costs: pd.DataFrame) -> pd.DataFrame:
    """The rows with a ratio whose verdict is withheld, the reference's, too, where it is doubted itself."""
    return costs[costs["ratio"].notna() & costs["ratio_reason"].map(withholds)]


def withholds(reason: object) -> bool:
    """Whether a `ratio_reason` withholds a verdict; others say why there is no ratio, or no interval."""
    return isinstance(reason, str) and reason.partition(": ")[0] in WITHHOLDING


def reasons(costs: pd.DataFrame) -> list[str]:
    """Why verdicts are withheld, each once."""
    return list(dict.fromkeys(withheld(costs)["ratio_reason"]))


def each_of(reason: str) -> list[str]:
    """The findings that one `ratio_reason` names, each with its message, which may have a semicolon of its own."""
    found: list[str] = []
    for piece in reason.split("; "):
        if withholds(piece) or not found:
            found.append(piece)
        else:
            found[-1] += f"; {piece}"
    return found


def codes_of(reason: object) -> set[str]:
    """The codes of the findings for which a `ratio_reason` withholds a verdict."""
    return {one.partition(": ")[0] for one in each_of(str(reason))} if withholds(reason) else set()


def without_ratios(costs: pd.DataFrame) -> pd.DataFrame:
    """For tests of differences: a p-value is a verdict by another name."""
    return costs.assign(ratio=costs["ratio"].mask(costs.index.isin(withheld(costs).index)))


def doubts_of(
    record: CampaignRecord,
    stored: Sequence[Run],
    runs: pd.DataFrame,
    counted: pd.DataFrame,
    baselines: pd.DataFrame,
    proofs: Iterable[Proof],
) -> tuple[Doubt, ...]:
    """`runs`: all that were made to be measured; `counted`: those that count; `proofs`: kept with the campaign."""
    found = [
        *_parted(runs),
        *([] if record.isolation == IMPORTED else unproven(_treatments(record, stored), proofs)),
        *_of_runs(stored, set(counted["run_id"])),
        *_of_two_versions(record, stored, set(counted["run_id"])),
        *_of_the_machine(counted, baselines),
    ]
    return (*found, *_recorded(record.findings, {one.code for one in found}))


def _treatments(record: CampaignRecord, stored: Sequence[Run]) -> list[Treatment]:
    ran = (run.record.planned for run in stored)
    several = [*record.plan.treatments, *(one.treatment for one in ran if one.purpose == Purpose.MEASURE)]
    return list({one.model_dump_json(): one for one in several}.values())


def _parted(runs: pd.DataFrame) -> Iterator[Doubt]:
    for code, several in checks.parted(runs):
        for key, group in several.groupby([*GROUP, TREATMENT]):
            *work, name = map(str, key)
            why = f"{name} {group['reason'].iloc[0].removeprefix('it ')}"
            yield Doubt(code, why, work=tuple(work), treatment=name)


def unproven(treatments: Iterable[Treatment], proofs: Iterable[Proof]) -> Iterator[Doubt]:
    """Of those that are compared: what no proof covers, and what none can."""
    several = list(treatments)
    covered = {name for proof in proofs if proof.passed for name in proof.proves}
    for one in asked.compared(several):
        if any((asked.place_of(one), kind) not in covered for kind in asked.of(one)):
            yield doubt_of(one, Code.NOT_VERIFIED, f"no proof shows that {name_of(one)} does the same work")
    alone = asked.without_another(several)
    for one in several:
        if one.workload in alone:
            why = f"no other implementation of {one.workload} proves that its versions do the same work"
            yield doubt_of(one, Code.ONE_IMPLEMENTATION, why)


def doubt_of(one: Treatment, code: Code, why: str) -> Doubt:
    (group,) = grouped([one])
    return Doubt(code, why, work=work_of(group), treatment=name_of(one))


def work_of(group: Group) -> Work:
    return tuple(group.key.values())


def _of_runs(stored: Sequence[Run], counted: set[str]) -> Iterator[Doubt]:
    inside = [run.record for run in stored if run.record.planned.run_id in counted]
    for record in inside:
        for finding in record.findings:
            if finding.code in OF_RUNS:
                why = f"{name_of(record.planned.treatment)}: {finding.message}"
                yield doubt_of(record.planned.treatment, Code(finding.code), why)
    blocks: dict[int, set[bool]] = {}
    for record in inside:
        resumed = any(finding.code == Code.NEW_MACHINE for finding in record.findings)
        blocks.setdefault(record.planned.block, set()).add(resumed)
    for block in (block for block, several in blocks.items() if len(several) > 1):
        yield Doubt(Code.NEW_MACHINE, f"block {block} ran on two machines")


def _of_two_versions(record: CampaignRecord, stored: Sequence[Run], counted: set[str]) -> Iterator[Doubt]:
    for work, block in mixed_blocks(record, stored, counted):
        yield Doubt(Code.SUITE_CHANGED, f"two versions of the suite measured block {block}", work=work)


def _of_the_machine(counted: pd.DataFrame, baselines: pd.DataFrame) -> Iterator[Doubt]:
    for one in checks.drifting(counted):
        yield Doubt(Code.DRIFT, one.message, one.quantity, one.work, one.treatment)
    for column, spread in checks.unsteady(baselines).items():
        why = f"the {checks.CONTROLS[column]} of the same work spread by {spread:.1%}{AS_MUCH_AS_CLAIMED}"
        yield Doubt(Code.CONTROL_UNSTEADY, why, column, up_to=spread)
    for finding in checks.baseline_moved(baselines):
        yield Doubt(Code.BASELINE_MOVED, finding.message)


def _recorded(findings: Iterable[Finding], known: set[str]) -> Iterator[Doubt]:
    """Of the campaign's own findings, those that nothing above has told more closely: of all work."""
    for finding in findings:
        if finding.code in VOIDS and finding.code not in known:
            for seen_in in VOIDS[finding.code]:
                yield Doubt(Code(finding.code), finding.message, seen_in)
