"""An analysis told in part: of some workloads, stages and frameworks, with the verdicts of the whole. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from harness.analysis.groups import Group, name_of
from harness.analysis.narrowing import Narrowing
from harness.analysis.profiled import Profiles
from harness.analysis.summary import Analysis
from harness.analysis.tables import Tables
from harness.findings.codes import Code
from harness.records import CampaignRecord, Finding, PlannedRun, Purpose
from harness.store import Campaign

OF_NO_WORK = (Purpose.CONTROL, Purpose.WARM_UP)  # kept whatever is left out: they are of the machine


def narrowed(campaign: Campaign, analysis: Analysis, narrowing: Narrowing) -> tuple[Campaign, Analysis]:
    """Both with what was asked for alone, and with the reference, which ratios need.

    Raises: UsageError for names that the campaign does not have.
    """
    if narrowing.everything:
        return campaign, analysis
    narrowing.require(campaign.record.plan.treatments)
    kept = narrowing.beside(analysis.reference.treatment)
    runs = _kept_runs(analysis.runs, kept)
    names = set(runs["run_id"])
    less = replace(
        campaign,
        record=_record(campaign.record, kept),
        runs=tuple(one for one in campaign.runs if one.record.planned.run_id in names),
    )
    found = replace(
        analysis,
        groups=tuple(_groups(analysis.groups, kept)),
        runs=runs,
        costs=kept.rows(analysis.costs),
        parts=kept.rows(analysis.parts),
        epochs=kept.rows(analysis.epochs),
        finals=kept.rows(analysis.finals),
        open=tuple(one for one in analysis.open if _is_kept(one, kept)),
        findings=(*analysis.findings, _said(narrowing)),
        raw=_tables(analysis.raw, names),
        profiles=Profiles(less),
    )
    vars(found)["statistics"] = kept.rows(analysis.statistics)  # whose p-values are corrected over the whole
    return less, found


def runs_of(campaign: Campaign, narrowing: Narrowing) -> Campaign:
    """The same campaign with no runs but those of what is asked for."""
    asked = ((one, one.record.planned.treatment) for one in campaign.runs)
    kept = (
        run
        for run, one in asked
        if narrowing.of_work(one.workload, one.stage) and narrowing.of_treatment(name_of(one))
    )
    return campaign if narrowing.everything else replace(campaign, runs=tuple(kept))


def _record(record: CampaignRecord, kept: Narrowing) -> CampaignRecord:
    treatments = tuple(
        one
        for one in record.plan.treatments
        if kept.of_work(one.workload, one.stage) and kept.of_treatment(name_of(one))
    )
    plan = record.plan.model_copy(update={"treatments": treatments})
    order = tuple(one for one in record.order if _is_kept(one, kept))
    return record.model_copy(update={"plan": plan, "order": order})


def _kept_runs(runs: pd.DataFrame, kept: Narrowing) -> pd.DataFrame:
    return runs[runs.index.isin(kept.rows(runs).index) | runs["purpose"].isin(OF_NO_WORK)]


def _is_kept(planned: PlannedRun, kept: Narrowing) -> bool:
    one = planned.treatment
    ours = kept.of_work(one.workload, one.stage) and kept.of_treatment(name_of(one))
    return ours or planned.purpose in OF_NO_WORK


def _groups(groups: tuple[Group, ...], kept: Narrowing) -> Iterator[Group]:
    for one in groups:
        names = tuple(name for name in one.treatments if kept.of_treatment(name))
        if names and kept.of_work(one.workload, one.stage):
            yield replace(one, treatments=names)


def _tables(raw: Tables, names: set[str]) -> Tables:
    return Tables(*(frame[frame["run_id"].isin(names)] for frame in (raw.runs, raw.phases, raw.epochs)))


def _said(narrowing: Narrowing) -> Finding:
    return Finding.of(
        Code.TOLD_IN_PART, f"this tells of {narrowing.words} alone, and of what they are held against"
    )
