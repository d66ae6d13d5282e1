"""A plan carried out on this machine, run by run; what is complete on disk stays whatever happens next."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import count, cycle
from pathlib import Path
from typing import Protocol

import pandas as pd

from harness import catalog, gate, machine, machine_lock, plan, schedule, store
from harness.datasets import prepared
from harness.environments.base import Environment
from harness.environments.recipe import suite_sha256
from harness.errors import MissingPrerequisite
from harness.execution import Execution, Setting
from harness.meters import Meters
from harness.records import CampaignRecord, Finding, Outcome, Plan, PlannedRun, RunRecord
from harness.sampler import Sampler
from harness.series import series_of
from suite.protocol import LEASE_FILE, STATE_FILE, Event

DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
WARM_UP = "warm-up"
NOT_KEPT = (LEASE_FILE, STATE_FILE)  # of a finished run's folder


class Observer(Protocol):
    """What a screen wants to know."""

    def run_started(self, planned: PlannedRun) -> None: ...

    def run_event(self, event: Event) -> None: ...

    def run_finished(self, record: RunRecord) -> None: ...


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
            store.create_campaign(self.folder, self.record())
            return self._go_on(observer)

    def resume(self, observer: Observer) -> bool:
        """What is missing of a campaign that was broken off: whole runs stay, half-written ones are set aside."""
        with machine_lock.hold(self.folder):
            machine.require_space(self.folder, len(self.order))
            store.set_aside_unfinished(self.folder)
            return self._go_on(observer)

    def _go_on(self, observer: Observer) -> bool:
        done, retries = store.outcomes(self.folder), self.plan.retries
        sampler = Sampler(self.plan.power_model, self.plan.sample_period_s, self.cpus.sampler)
        with _disk_errors(self.folder), store.under_way(self.folder), sampler:
            self._warm_up(sampler, observer)
            while planned := schedule.next_run(self.order, done, retries):
                self._take_baseline(planned.block, sampler)
                findings = self.run_findings + self._cool_down(sampler)
                done[planned.run_id] = self._run(planned, sampler, observer, findings).outcome
                if self.fail_fast and done[planned.run_id] is not Outcome.OK:
                    break
        return schedule.settled(self.order, done, retries)

    def _take_baseline(self, block: int, sampler: Sampler) -> None:
        """The idle machine, once before each block (rule R25), where a meter of the machine can see it."""
        path = store.baseline_path(self.folder, block)
        if block == 0 or path.exists() or not self.meters.see_the_idle_machine:
            return
        sampler.begin(path)
        time.sleep(self.plan.baseline_s)
        sampler.end()

    def _warm_up(self, sampler: Sampler, observer: Observer) -> None:
        """Training runs of the plan, recorded and excluded, until the machine has worked for long enough (rule R23).

        One that does not count ends it: the runs to come will say why.
        """
        end_s = time.monotonic() + self.plan.warm_up_s
        runs = cycle(one for one in self.order if one.block < 2 and not self._needs_state(one))
        numbers = count(1 + len(list((self.folder / store.RUNS).glob(f"{WARM_UP}-*"))))
        while time.monotonic() < end_s:
            again = {"run_id": f"{WARM_UP}-{next(numbers):03d}", "block": 0, "purpose": WARM_UP}
            record = self._run(next(runs).model_copy(update=again), sampler, observer, self.run_findings)
            if record.outcome is not Outcome.OK:
                return

    def _cool_down(self, sampler: Sampler) -> tuple[Finding, ...]:
        """Waits as the plan says, then for the machine to be as it was at rest before the first block."""
        time.sleep(self.plan.idle_s)
        rule, path = self.plan.cool_down, store.baseline_path(self.folder, 1)
        if rule.at_most_s <= 0 or not path.exists():
            return ()
        channels = self.meters.channels
        rest = gate.rest_of(series_of(pd.read_parquet(path), channels), channels)
        return tuple(gate.wait(sampler.look, channels, rest, rule))

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

    def _run(
        self, planned: PlannedRun, sampler: Sampler, observer: Observer, findings: tuple[Finding, ...]
    ) -> RunRecord:
        observer.run_started(planned)
        apart = self.folder / store.UNFINISHED / planned.run_id
        setting = replace(self._setting(planned, apart, sampler, observer), findings=findings)
        execution = Execution(planned, setting)
        if self._needs_state(planned) and not self._state(planned).exists():
            record = execution.not_applicable("there is no trained state: its preparation run failed")
        else:
            record = execution.carry_out()
        self._keep_state(planned, apart)
        store.store_run(self.folder, apart, record, NOT_KEPT)
        observer.run_finished(record)
        return record

    def _setting(self, planned: PlannedRun, apart: Path, sampler: Sampler, observer: Observer) -> Setting:
        treatment = planned.treatment
        return Setting(
            campaign_id=self.campaign_id,
            environment=self.environments[treatment.framework, treatment.version],
            meters=self.meters,
            folder=apart.absolute(),
            data=prepared.folder(treatment.dataset),
            state=self._state(planned).absolute() if self._needs_state(planned) else None,
            cpus=self.cpus.workload,
            seed=self.plan.seed,
            sampler=sampler,
            timeout_s=self.plan.run_timeout_s,
            quality_floor=catalog.workload(treatment.workload).spec.quality_floor,
            keep_state=planned.purpose == "prepare",
            on_event=observer.run_event,
        )

    @staticmethod
    def _needs_state(planned: PlannedRun) -> bool:
        return planned.treatment.stage == "infer"

    def _state(self, planned: PlannedRun) -> Path:
        return self.folder / store.STATES / f"{plan.state_name(planned.treatment)}.npz"

    def _keep_state(self, planned: PlannedRun, apart: Path) -> None:
        written = apart / STATE_FILE
        if planned.purpose == "prepare" and written.exists():
            written.rename(self._state(planned))


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
