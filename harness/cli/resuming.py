"""suite run --resume: a campaign that was broken off goes on, as the same measurement or not at all."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path

from harness import meters, store
from harness.analysis import same_measurement
from harness.analysis.suite_versions import named
from harness.campaign import builds, preparation
from harness.campaign.planned import PlannedCampaign
from harness.cli import looking_told, meters_told, plan_told, screen
from harness.cli.carrying_out import Manner, carry_out
from harness.devices import HOST, is_gpu
from harness.environments.choose import Choice
from harness.errors import UsageError
from harness.exports import anonymous
from harness.findings.codes import Code
from harness.findings.registry import MEANINGS
from harness.host.identity import names
from harness.records import CampaignRecord, Finding, Plan, PlannedRun, Purpose


def tell(folder: Path) -> None:
    """What is still to be carried out of a campaign, in its order; nothing is done.

    Raises: UsageError for a campaign that nobody can go on with.
    """
    read = store.load_campaign(folder)
    before, order = read.record, _certain(read)
    plan, missing = _own_plan(folder, before), store.missing(folder, order)
    if missing:
        plan_told.print_order(plan, missing)
    _tell_how_far(plan, len(order), len(missing))


def go_on(folder: Path, environment: str, allow_stale: bool, force_new_machine: bool, manner: Manner) -> int:
    """`environment` as the user names it. Raises: UsageError naming what has changed since the campaign began."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    read = store.load_campaign(folder)
    before, order = read.record, _certain(read)
    campaign = _prepare(folder, before, _choice(before, environment, allow_stale))
    now = campaign.record()
    if changed := list(same_measurement.changed_work(before, now)):
        raise UsageError(f"{folder} cannot go on: {'; '.join(changed)} changed since; start a new campaign")
    machine = {
        **now.machine,
        **names(),
    }  # by its name a campaign knows it that was begun before machine_id was
    if changed := list(same_measurement.changed_machine(before, machine, now.channels)):
        if not force_new_machine:
            raise UsageError(
                f"{folder} was measured on another machine ({', '.join(changed)}); --force-new-machine goes on here"
            )
        campaign = replace(campaign, run_findings=(_new_machine(changed),))
    _tell_version(before, now, is_first=not read.runs)
    missing = store.missing(folder, order)
    looking_told.require({one.looked_at_by for one in missing if one.looked_at})
    _tell_how_far(campaign.plan, len(order), len(missing))
    return carry_out(campaign, manner, resumed=True)


def _tell_version(before: CampaignRecord, now: CampaignRecord, is_first: bool) -> None:
    """That nobody is surprised by what the report says: a version differs by its commit, too."""
    made_by = now.made_by
    if before.machine.get(anonymous.MARK):
        made_by = builds.numbered(before.identity, made_by, is_first)
    if before.made_by != made_by:
        began, meaning = named(before.made_by), MEANINGS[Code.SUITE_CHANGED]
        screen.say(f"note: {began} began the campaign, this is {made_by} ({meaning.advice})")


def _certain(read: store.Campaign) -> tuple[PlannedRun, ...]:
    """What is carried out in any case: by turns, no work has more blocks than it needs."""
    return read.order if read.record.plan.turns else read.record.order


def _tell_how_far(plan: Plan, count: int, missing: int) -> None:
    more = f"; where a verdict is open, up to {plan.repetitions} blocks" if plan.turns else ""
    screen.say(f"{count - missing} of {count} runs are done{more}")


def _own_plan(folder: Path, before: CampaignRecord) -> Plan:
    plan = before.plan
    if not isinstance(plan, Plan):
        raise UsageError(f"{folder} was imported: other tools measured it, and nobody here can go on with it")
    if before.sources:
        raise UsageError(
            f"{folder} was merged: go on with each campaign on its own machine, and merge them anew"
        )
    if not any(one.purpose == Purpose.MEASURE for one in before.order):
        raise UsageError(f"{folder} was profiled, which is never measured: start anew with suite profile")
    return plan


def _prepare(folder: Path, before: CampaignRecord, choice: Choice) -> PlannedCampaign:
    """Every environment must stand: leaving one out would be another plan."""
    plan = _own_plan(folder, before)
    found = meters.find_all(meters.configuration(plan.power_model, plan.boundary))
    meters_told.print_meters(found, plan.boundary)
    preparation.datasets(plan, screen.say)
    frameworks = {treatment.framework for treatment in plan.treatments}
    ready = preparation.environments(plan, choice, frameworks, screen.say)
    return PlannedCampaign(folder, plan, ready.environments, found, before.findings)


def _choice(before: CampaignRecord, environment: str, allow_stale: bool) -> Choice:
    """As it was. A program that a record names is run only if the user names it, too: the record may be a stranger's.

    Raises: UsageError otherwise, where an anonymous campaign does not tell which interpreter it ran in, and for another
    environment than it has.
    """
    pythons = {one["interpreter"] for one in before.environments.values() if "interpreter" in one}
    if None in pythons:
        raise UsageError(
            "the campaign is anonymous and does not tell its interpreter: it cannot go on; start a new one"
        )
    named = [f"interpreter={python}" for python in pythons]
    if named and environment not in named:
        raise UsageError(
            f"the campaign says that it ran on {named[0]}: if you trust it, add --environment {named[0]}"
        )
    if not named and environment not in ("auto", before.isolation):
        raise UsageError(f"the campaign runs in {before.isolation}: leave out --environment {environment}")
    device = next((one.device for one in before.plan.treatments if is_gpu(one.device)), HOST)
    return Choice(before.isolation, next(iter(pythons), ""), device=device, allow_stale=allow_stale)


def _new_machine(changed: list[str]) -> Finding:
    return Finding.of(Code.NEW_MACHINE, f"resumed on another machine: {', '.join(changed)} changed")
