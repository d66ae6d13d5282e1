"""A plan carried out on this machine, run by run; what is complete on disk stays whatever happens next."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import store
from harness.analysis.looks import Looks
from harness.calibration import on_disk
from harness.campaign import lock, looking, machine_lock, remaining, schedule
from harness.campaign.by_turns import ByTurns
from harness.campaign.due_proofs import DueProofs
from harness.campaign.planned import PlannedCampaign
from harness.campaign.steps import Observer, Steps
from harness.campaign.time_left import TimeLeft
from harness.conformance import certificate
from harness.errors import DISK_ERRORS, MissingPrerequisite
from harness.host import machine
from harness.planning import plan
from harness.records import Outcome, PlannedRun, StopRecord
from harness.sampling.client import Sampler

log = logging.getLogger(__name__)


def carry_out(campaign: PlannedCampaign, observer: Observer) -> bool:
    """The whole plan, in its order; whether every planned run counts, or where time ends it, every one that was made.

    Raises: MissingPrerequisite if another campaign holds the machine, or the disk fills up on the way; SpyFailed
    before the first run where runs are to be profiled and no worker can be looked at.
    """
    with machine_lock.hold(campaign.folder):
        return carry_out_held(campaign, observer)


def carry_out_held(campaign: PlannedCampaign, observer: Observer) -> bool:
    """As carry_out, by who holds the machine already."""
    machine.require_space(campaign.folder, plan.fewest_runs(campaign.plan))
    looking.require(campaign, campaign.order)
    record = campaign.record()
    store.make_folder(campaign.folder)
    with lock.hold(campaign.folder):
        store.create_campaign(campaign.folder, record, campaign.write_states)
        isolations = {one.isolation for one in campaign.environments.values()}
        certificate.keep(campaign.folder, campaign.plan.treatments, isolations)
        on_disk.keep(campaign.folder, campaign.plan, campaign.meters.channels, record.isolation)
        return _go_on(campaign, observer)


def resume(campaign: PlannedCampaign, observer: Observer) -> bool:
    """What is missing of a campaign that was broken off: whole runs stay, half-written ones are set aside."""
    with machine_lock.hold(campaign.folder), lock.hold(campaign.folder):
        store.require_own_parts(campaign.folder)
        machine.require_space(campaign.folder, plan.fewest_runs(campaign.plan))
        looking.require(campaign, store.missing(campaign.folder, campaign.order))
        store.set_aside_unfinished(campaign.folder)
        return _go_on(campaign, observer)


def _go_on(campaign: PlannedCampaign, observer: Observer) -> bool:
    done = dict(store.outcomes(campaign.folder))
    with _disk_errors(campaign.folder), _swept(campaign), _sampler(campaign) as sampler:
        steps = Steps(campaign, sampler, observer)
        steps.warm_up()
        proofs = DueProofs(campaign, observer.note) if campaign.proves else None
        order = (_made_by_turns(campaign, steps, done, proofs) if campaign.plan.turns
                 else _made(campaign, steps, done))  # fmt: skip
    equal = not (proofs and proofs.failed)
    return equal and bool(order) and schedule.settled(order, done, campaign.plan.retries)


def _made_by_turns(
    campaign: PlannedCampaign, steps: Steps, done: dict[str, Outcome], proofs: DueProofs | None
) -> tuple[PlannedRun, ...]:
    turns = ByTurns(campaign, steps, done, Looks(campaign.folder), proofs, _time_left(campaign))
    if store.stopped(campaign.folder) is None:
        turns.carry_out()
        if stop := turns.stop():
            store.write_record(campaign.folder / store.STOP_FILE, stop)
    return turns.made


def _made(campaign: PlannedCampaign, steps: Steps, done: dict[str, Outcome]) -> tuple[PlannedRun, ...]:
    """Run by run; of the order, what had its turn before answers, time or a failure ended it. `done` takes them up."""
    order, looks, time_left = campaign.order, Looks(campaign.folder), _time_left(campaign)
    while planned := schedule.next_run(order, done, campaign.plan.retries):
        if schedule.opens_block(planned, order, done) and (stop := _stop(campaign, looks, planned.block - 1)):
            order = store.until(order, stop.blocks)
            continue
        if time_left and not time_left.allows(planned, order, done, time.monotonic()):
            return tuple(one for one in order if one.run_id in done)
        steps.take_baseline(planned.block)
        done[planned.run_id] = steps.run(planned, steps.cool_down()).outcome
        if time_left:
            time_left.finished(planned, time.monotonic())
        if campaign.fail_fast and done[planned.run_id] is not Outcome.OK:
            break
    return order


@contextmanager
def _swept(campaign: PlannedCampaign) -> Iterator[None]:
    """Nothing of other harnesses is left at the beginning, nothing of this one at the end, however it comes."""
    environments = {one.isolation: one for one in campaign.environments.values()}.values()
    for environment in environments:
        environment.sweep()
    try:
        yield
    finally:
        for environment in environments:
            try:
                environment.sweep()
            except MissingPrerequisite as error:  # the finished runs count
                log.warning("something may be left behind until the next campaign: %s", error)


def _stop(campaign: PlannedCampaign, looks: Looks, blocks: int) -> StopRecord | None:
    """Whether an adaptive campaign has its answers after so many complete blocks; written down if it has."""
    if campaign.plan.until is None:
        return None
    stop = store.stopped(campaign.folder) or looks.stop(blocks)
    if stop:
        store.write_record(campaign.folder / store.STOP_FILE, stop)
    return stop


def _time_left(campaign: PlannedCampaign) -> TimeLeft | None:
    if campaign.ends_s is None:
        return None
    made = [run.record for run in store.load_campaign(campaign.folder).runs]
    left = remaining.of_campaign(campaign.plan, campaign.order, made, now_s := time.monotonic())
    left.interrupted(now_s)
    return TimeLeft(campaign.ends_s, left)


def _sampler(campaign: PlannedCampaign) -> Sampler:
    own = campaign.plan
    return Sampler(own.power_model, own.sample_period_s, campaign.cpus.sampler, own.boundary)


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise MissingPrerequisite(
            f"cannot write to {folder}: {error.strerror}; the finished runs in it are whole"
        ) from error
