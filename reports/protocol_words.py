"""How a campaign was measured, in sentences, of its records alone: what they leave open is unknown."""

from __future__ import annotations

from collections.abc import Iterator

from harness.analysis.summary import Analysis
from harness.findings.codes import Code
from harness.records import IMPORTED, Channel, PlanRecord, Purpose
from harness.store import Campaign
from reports.citations import STUDIES
from reports.formats import THIN, listed, plural, quantity
from reports.headline import ISOLATIONS
from reports.wording import boundary_channels, energy_statement

UNASKED = "No cool-down was asked for between runs."


def protocol(analysis: Analysis, campaign: Campaign) -> Iterator[str]:
    record, plan = campaign.record, campaign.record.plan
    how = ISOLATIONS.get(record.isolation, f"isolation: {record.isolation}")
    yield f"Runs: {how}; {_blocks(campaign)}. {_counted(analysis)}"
    yield from _plan(campaign)
    if record.isolation == IMPORTED:
        yield "How these runs were ordered, cooled down and limited is unknown here."
        return
    yield _baseline(plan)
    yield _cool_down(plan)
    yield from _besides(plan)
    yield _timed_out(plan)


def _blocks(campaign: Campaign) -> str:
    plan, stop = campaign.record.plan, campaign.stop
    if campaign.record.isolation == IMPORTED:
        return plural(plan.repetitions, "repetition")
    blocks = plural(plan.repetitions, "block")
    if stop:
        blocks = f"stopped after {stop.blocks} of at most {plan.repetitions} blocks by a rule declared before"
    seed = "an unknown seed" if plan.seed is None else f"the seed {plan.seed}"
    if plan.turns:
        return (
            f"at most {plural(plan.repetitions, 'block')} of each work, as far as a stated time reached and until its "
            f"ratios were known; within a block every treatment of the work once in an order drawn at random with "
            f"{seed}, but for a work's first block, which two of its treatments may have begun in an earlier turn"
        )
    return (
        f"{blocks}, each with every treatment once in an order drawn at random with {seed}{_unmade(campaign)}"
    )


def _unmade(campaign: Campaign) -> str:
    """Where the campaign ended early, of a block that was planned."""
    made = {
        run.record.planned.block for run in campaign.runs if run.record.planned.purpose == Purpose.MEASURE
    }
    planned = campaign.record.plan.repetitions
    short = not campaign.stop and len(made) < planned
    return f"; {len(made)} of the {planned} were made" if short else ""


def _counted(analysis: Analysis) -> str:
    excluded = analysis.excluded[analysis.excluded["purpose"] == Purpose.MEASURE]
    left = f", {len(excluded)} excluded as failed or invalid" if len(excluded) else ", none excluded"
    waiting = f", {len(analysis.open)} planned and not carried out" if analysis.open else ""
    return f"{plural(len(analysis.counted), 'measured run')} counted{left}{waiting}."


def _plan(campaign: Campaign) -> Iterator[str]:
    record = campaign.record
    if study := STUDIES.get(record.plan.profile):
        cited = f" [{study.key}]" if study.key else ""
        yield (
            f"The plan is {record.plan.profile}, which follows {study.words}{cited}; options may have changed it, and "
            "the records have what was carried out."
        )
    elif record.isolation != IMPORTED:
        yield f"The plan is {record.plan.profile}."
    if Code.SCALED_DOWN in {finding.code for finding in record.findings}:
        yield "It scales data and training down: these are not the sizes of published work."


def _baseline(plan: PlanRecord) -> str:
    if plan.baseline_s is None:
        return "Whether the idle machine was sampled is unknown."
    if not plan.baseline_s:
        return "The idle machine was not sampled."
    when = "the first block of each number" if plan.turns else "each block"
    return f"Before {when} the idle machine was sampled for {quantity(plan.baseline_s, 's')}."


def _cool_down(plan: PlanRecord) -> str:
    one = plan.cool_down
    if not one.at_most_s:
        return UNASKED
    return (
        f"Before each run the machine had to be within {100 * one.power_band:g}{THIN}% of its idle power and "
        f"{one.temperature_band_k:g}{THIN}K of its idle temperatures for {quantity(one.at_least_s, 's')}, which was "
        f"waited for {quantity(one.at_most_s, 's')} at most."
    )


def _besides(plan: PlanRecord) -> Iterator[str]:
    if plan.idle_s:
        yield f"Each run followed a pause of {quantity(plan.idle_s, 's')}."
    if plan.warm_up_s:
        yield f"Runs of {quantity(plan.warm_up_s, 's')} warmed the machine up and do not count."
    if plan.rehearse:
        yield "Frameworks and data were read once before anything was measured."
    if plan.control_rounds:
        which = "the first block of each number" if plan.turns else "each block"
        yield f"A fixed piece of work opened {which} as a control."
    if plan.retries:
        yield (
            f"A run that failed or was invalid was repeated at the end of its block, {plan.retries} times at most."
            if plan.retries > 1
            else "A run that failed or was invalid was repeated once at the end of its block."
        )


def _timed_out(plan: PlanRecord) -> str:
    limit = "unknown" if plan.run_timeout_s is None else quantity(plan.run_timeout_s, "s")
    return f"The time limit of a run: {limit}."


def energy(campaign: Campaign) -> Iterator[str]:
    """Which joules they are, first of all."""
    channels = boundary_channels(campaign)
    yield energy_statement(campaign)
    if not channels:
        return
    period = quantity(campaign.record.plan.sample_period_s, "s")
    yield f"A run's energy is the sum of {listed(map(_channel, channels))}, read about every {period}."
    yield "Joules are gross: as read, with idle power in them."
    if campaign.record.isolation != IMPORTED:
        yield "Time and energy of a run are those from the start of its work to its end, imports and data included."
    if missing := dict.fromkeys(one.meter for one in campaign.record.unavailable):
        yield f"Not available on the machine: {listed(missing)}."


def _channel(one: Channel) -> str:
    return f"{one.name} ({one.domain}, {one.provenance.upper() if one.provenance != 'measured' else one.provenance})"
