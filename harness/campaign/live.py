"""A plan carried out on this machine, run by run; what is complete on disk stays whatever happens next."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from harness import store
from harness.analysis import adaptive
from harness.calibration import on_disk
from harness.campaign import lock, machine_lock, schedule
from harness.campaign.steps import Observer, Session
from harness.conformance import certificate
from harness.environments.base import Environment
from harness.environments.recipe import suite_sha256
from harness.errors import DISK_ERRORS, MissingPrerequisite
from harness.host import machine
from harness.meters import Meters
from harness.planning import plan
from harness.records import CampaignRecord, Finding, Outcome, Plan, PlannedRun, StopRecord
from harness.sampling.client import Sampler

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Campaign:
    """Everything a campaign needs; `environments` by framework and version, all prepared."""

    folder: Path
    plan: Plan
    environments: Mapping[tuple[str, str], Environment]
    meters: Meters
    findings: tuple[Finding, ...] = ()
    run_findings: tuple[Finding, ...] = ()  # said of every run to come
    fail_fast: bool = False  # the first run that does not count ends the campaign
    cpus: machine.Cpus = field(default_factory=machine.share_cpus)

    @property
    def campaign_id(self) -> str:
        return self.folder.absolute().name

    @cached_property
    def order(self) -> tuple[PlannedRun, ...]:
        return plan.order(self.plan)

    def carry_out(self, observer: Observer) -> bool:
        """The whole plan, in its order; whether every planned run counts.

        Raises: MissingPrerequisite if another campaign holds the machine, or the disk fills up on the way.
        """
        with machine_lock.hold(self.folder):
            machine.require_space(self.folder, len(self.order))
            record = self.record()
            store.make_folder(self.folder)
            with lock.hold(self.folder):
                store.create_campaign(self.folder, record)
                isolations = {one.isolation for one in self.environments.values()}
                certificate.keep(self.folder, self.plan.treatments, isolations)
                on_disk.keep(self.folder, self.plan, self.meters.channels, record.isolation)
                return self._go_on(observer)

    def resume(self, observer: Observer) -> bool:
        """What is missing of a campaign that was broken off: whole runs stay, half-written ones are set aside."""
        with machine_lock.hold(self.folder), lock.hold(self.folder):
            store.require_own_parts(self.folder)
            machine.require_space(self.folder, len(self.order))
            store.set_aside_unfinished(self.folder)
            return self._go_on(observer)

    def _go_on(self, observer: Observer) -> bool:
        done, retries, order = store.outcomes(self.folder), self.plan.retries, self.order
        with _disk_errors(self.folder), self._swept(), self._sampler() as sampler:
            session = Session(self, sampler, observer)
            session.warm_up()
            while planned := schedule.next_run(order, done, retries):
                if schedule.opens_block(planned, order, done) and (stop := self._stop(planned.block - 1)):
                    order = store.until(order, stop.blocks)
                    continue
                session.take_baseline(planned.block)
                done[planned.run_id] = session.run(planned, session.cool_down()).outcome
                if self.fail_fast and done[planned.run_id] is not Outcome.OK:
                    break
        return schedule.settled(order, done, retries)

    @contextmanager
    def _swept(self) -> Iterator[None]:
        """Nothing of other harnesses is left at the beginning, nothing of this one at the end, however it comes."""
        environments = {one.isolation: one for one in self.environments.values()}.values()
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

    def _stop(self, blocks: int) -> StopRecord | None:
        """Whether an adaptive campaign has its answers after so many complete blocks; written down if it has."""
        if self.plan.until is None:
            return None
        stop = store.stopped(self.folder) or adaptive.stop(store.load_campaign(self.folder), blocks)
        if stop:
            store.write_record(self.folder / store.STOP_FILE, stop)
        return stop

    def _sampler(self) -> Sampler:
        return Sampler(self.plan.power_model, self.plan.sample_period_s, self.cpus.sampler)

    def record(self) -> CampaignRecord:
        """What campaign.json says, here and now."""
        return CampaignRecord(
            campaign_id=self.campaign_id,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            plan=self.plan,
            order=self.order,
            isolation=", ".join(sorted({e.isolation for e in self.environments.values()})),
            machine=machine.describe(),
            channels=self.meters.channels,
            unavailable=self.meters.unavailable,
            findings=self.findings,
            environments={" ".join(pair): one.describe() for pair, one in self.environments.items()},
            suite_sha256=suite_sha256(),
        )


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
