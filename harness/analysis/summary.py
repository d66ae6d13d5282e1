"""Everything that a report shows, computed once from a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from harness.analysis import adaptive
from harness.analysis.baselines import baselines
from harness.analysis.campaign_findings import computed_otherwise, of_a_campaign
from harness.analysis.costs import costs
from harness.analysis.description import descriptions
from harness.analysis.groups import GROUP, TREATMENT, Group, groups_of, treatments_of
from harness.analysis.heterogeneity import Apart, apart
from harness.analysis.lost_samples import lost_samples
from harness.analysis.multiplicity import SIMULTANEOUS
from harness.analysis.outlook import Outlook, outlook
from harness.analysis.parts import part_costs
from harness.analysis.plain_texts import with_plain_texts
from harness.analysis.profiled import Profiles
from harness.analysis.quality import epoch_quality, final_quality
from harness.analysis.quantities import recorded, with_rates
from harness.analysis.reference import Reference, find, fitting
from harness.analysis.stated import Factor
from harness.analysis.statistics import statistics
from harness.analysis.suite_versions import suite_changed
from harness.analysis.tables import Tables, measured, tables
from harness.analysis.typical import typical
from harness.analysis.withheld import Doubt, doubts_of, withhold, without_ratios
from harness.conformance import kept_proofs
from harness.errors import UsageError
from harness.inventory.tasks import Tasks
from harness.records import Finding, PlannedRun, Purpose, Until
from harness.store import Campaign


@dataclass(frozen=True)
class Analysis:
    """runs: every stored run, with rates, `treatment` and `exclusion` (empty for those that count).

    costs: COST_COLUMNS; parts: PART_COLUMNS; epochs and finals: QUALITY_COLUMNS; open: planned, not carried out.
    `reference` says which treatment the others are held against, and by which rule.
    """

    groups: tuple[Group, ...]
    reference: Reference
    runs: pd.DataFrame
    costs: pd.DataFrame
    parts: pd.DataFrame
    epochs: pd.DataFrame
    finals: pd.DataFrame
    open: tuple[PlannedRun, ...]
    findings: tuple[Finding, ...]  # of the runs together
    doubts: tuple[Doubt, ...]  # what withholds verdicts: `costs` has none that they void
    baselines: pd.DataFrame  # BASELINE_COLUMNS by block
    margin: float  # the smallest difference that matters, as a share
    errors: str  # how they are held over the ratios of a table
    adaptive: bool  # stopped by its ratios, or could have been
    tasks: Tasks  # of its workloads
    raw: Tables  # every stored run's phases and epochs
    profiles: Profiles  # runs whose stacks were looked at, in none of the above
    stated: tuple[Factor, ...] = ()  # what a kilowatt-hour stands for, by whoever asks

    @cached_property
    def counted(self) -> pd.DataFrame:
        return self.runs[self.runs["exclusion"] == ""]

    @property
    def excluded(self) -> pd.DataFrame:
        return self.runs[self.runs["exclusion"] != ""]

    @cached_property
    def descriptions(self) -> pd.DataFrame:
        """DESCRIPTION_COLUMNS of every quantity, over the runs that count of each treatment in its group."""
        found = descriptions(self.counted, [*GROUP, TREATMENT], [one.name for one in recorded()])
        return with_plain_texts(found)

    @cached_property
    def typical(self) -> Mapping[str, float]:
        """How large the numbers are, by family of quantities: what a page chooses its units by."""
        return typical(self.costs)

    @cached_property
    def outlook(self) -> Outlook:
        """The noise that was found, and what would settle what is open; computed when it is first asked for."""
        return outlook(self.counted, self.costs, self.groups)

    @cached_property
    def apart(self) -> Apart:
        """Each node's own ratios, and how much they differ; empty but of a merged campaign."""
        return apart(self.counted, self.costs, self.groups)

    @cached_property
    def statistics(self) -> pd.DataFrame:
        """STATISTICS_COLUMNS: what stands behind the verdicts; computed when it is first asked for."""
        return statistics(
            self.counted,
            without_ratios(self.costs),
            self.groups,
            self.margin,
            errors=self.errors,
            adaptive=self.adaptive,
        )


def analyse(
    campaign: Campaign,
    reference: str | None = None,
    margin: float | None = None,
    errors: str | None = None,
) -> Analysis:
    """All that the report and the tables tell of a campaign.

    `reference`: a framework ("torch") or a treatment ("torch@2.13.0"). None takes that of an adaptive campaign, the
    oldest version where one framework alone was measured in several, else the first of the plan.
    `margin`: see harness.analysis.verdict; None: what an adaptive campaign declared, else 2 %.
    `errors`: how they are held over several ratios, a name of harness.analysis.multiplicity; None: simultaneously.

    Raises: UsageError for a margin that is no share, or not the declared one, and for a reference that is not in the
    campaign, or fits several.
    """
    until, tasks = campaign.record.plan.until, Tasks.of(campaign.record)
    margin, errors = adaptive.margin(until, margin), errors or SIMULTANEOUS
    raw, groups = tables(campaign), groups_of(campaign)
    runs = with_plain_texts(with_rates(labelled(raw.runs)))
    counted, before = measured(runs), baselines(raw)
    chosen = _reference(reference, groups, until)
    doubts = _doubts(campaign, runs, counted, before)
    found = costs(counted, groups, chosen, adaptive.judge_of(until, errors, margin), until is None, tasks)
    return Analysis(
        groups=groups,
        reference=chosen,
        runs=runs,
        costs=withhold(found, doubts),
        parts=part_costs(counted, raw.phases),
        epochs=epoch_quality(counted, raw.epochs),
        finals=final_quality(counted, raw.epochs),
        open=_open(campaign),
        findings=tuple(_findings(campaign, runs, counted, before)),
        doubts=doubts,
        baselines=before,
        margin=margin,
        errors=errors,
        adaptive=until is not None,
        tasks=tasks,
        raw=raw,
        profiles=Profiles(campaign),
    )


def _doubts(
    campaign: Campaign, runs: pd.DataFrame, counted: pd.DataFrame, before: pd.DataFrame
) -> tuple[Doubt, ...]:
    proofs = kept_proofs.of_campaign(campaign.folder)
    return doubts_of(campaign.record, campaign.runs, _on_purpose(runs), counted, before, proofs)


def _findings(
    campaign: Campaign, runs: pd.DataFrame, counted: pd.DataFrame, before: pd.DataFrame
) -> Iterator[Finding]:
    """Of the runs together."""
    yield from of_a_campaign(counted, before)
    yield from computed_otherwise(_on_purpose(runs))
    yield from lost_samples(campaign.runs)
    yield from suite_changed(campaign.record, campaign.runs)


def _on_purpose(runs: pd.DataFrame) -> pd.DataFrame:
    """Made to be measured, whether they count or not."""
    return runs[runs["purpose"] == Purpose.MEASURE]


def _open(campaign: Campaign) -> tuple[PlannedRun, ...]:
    stored = {run.record.planned.run_id for run in campaign.runs}
    return tuple(planned for planned in campaign.order if planned.run_id not in stored)


def _reference(asked: str | None, groups: tuple[Group, ...], until: Until | None) -> Reference:
    """The one that an adaptive campaign declared, else the one that is asked for."""
    treatments = treatments_of(groups)
    if until and asked is not None and fitting(asked, treatments) != until.reference:
        raise UsageError(
            f"the campaign declared {until.reference} its reference before its first run; it stands"
        )
    return find(asked, treatments, until.reference if until else None)


def labelled(runs: pd.DataFrame) -> pd.DataFrame:
    """With `treatment`, and why each run that does not count is excluded."""
    told = (runs["outcome"].astype(str) + ": " + runs["reason"]).where(runs["reason"] != "", runs["outcome"])
    others = runs["purpose"].map(_why_not_measured, na_action="ignore")
    why = told.where(runs["purpose"] == Purpose.MEASURE, others)
    return runs.assign(
        treatment=(runs["framework"] + " " + runs["version"]).str.strip(),
        exclusion=why.where(~runs.index.isin(measured(runs).index), "").astype(object),
    )


def _why_not_measured(purpose: str) -> str:
    return "preparation run for stage infer" if purpose == Purpose.PREPARE else f"{purpose} run"
