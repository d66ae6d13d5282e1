"""One run: start the environment, go, sample, finish. What happened is in the record, whatever happened."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness import checks, conditions, samples, spool
from harness.environments.base import Environment, Job, RunningJob
from harness.environments.recipe import suite_sha256
from harness.errors import EnvironmentLost, SuiteError
from harness.follow import EventTail
from harness.host.settings import settings
from harness.live_power import Listener, LivePower
from harness.meters import Meters
from harness.records import Finding, Outcome, PlannedRun, RunRecord
from harness.sampler import Recorded, Sampler, SamplerLost
from harness.store import SAMPLES_FILE
from suite.protocol import Event, LeaseHolder, Request

POLL_S = 0.02
EXIT_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Setting:
    """What a run needs besides its place in the plan."""

    campaign_id: str
    environment: Environment
    meters: Meters
    folder: Path  # of this run, apart from the finished ones
    data: Path
    state: Path | None
    cpus: tuple[int, ...]
    seed: int
    sampler: Sampler
    timeout_s: float
    quality_floor: Mapping[str, float]
    keep_state: bool = False
    findings: tuple[Finding, ...] = ()  # that hold before it has begun
    on_event: Callable[[Event], None] = lambda event: None
    on_power: Listener = lambda power_w, provenance: None


@dataclass
class Marks:
    """Host-side times in CLOCK_MONOTONIC ns; None until they happen."""

    start_ns: int
    ready_ns: int | None = None
    go_ns: int | None = None
    done_ns: int | None = None
    exit_ns: int = 0


class RunTimeout(Exception):
    """The worker took longer than the plan allows."""


@dataclass
class Execution:
    """Carries out one run; `failure` says why it is not ok."""

    planned: PlannedRun
    setting: Setting
    failure: str = ""
    exit_code: int | None = None
    foreign: tuple[str, ...] = ()
    conditions: dict[str, Any] = field(default_factory=dict)
    marks: Marks = field(init=False)
    recorded: Recorded | None = None
    tail: EventTail = field(init=False)

    def carry_out(self) -> RunRecord:
        """Runs the worker to its end. Whatever interrupts it, no process is left behind."""
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self.setting.folder.mkdir(parents=True)
        self._request().write(self.setting.folder)
        self.conditions = conditions.at_start(self.setting.data)
        self.tail = EventTail(self.setting.folder, self.setting.on_event)
        self.marks = Marks(time.monotonic_ns())
        with _lease(self.setting.folder) as lease:
            self._live_sampled(lease)
        return self._record(started)

    def not_applicable(self, reason: str) -> RunRecord:
        """The record of a run that cannot be made."""
        self.setting.folder.mkdir(parents=True)
        self.tail = EventTail(self.setting.folder, self.setting.on_event)
        now_ns = time.monotonic_ns()
        self.marks, self.failure = Marks(now_ns, exit_ns=now_ns), reason
        record = self._record(datetime.now(UTC).isoformat(timespec="seconds"))
        return record.model_copy(update={"outcome": Outcome.NOT_APPLICABLE})

    def _live_sampled(self, lease: LeaseHolder) -> None:
        """Samples into the run's folder; a sampler that dies costs this run, nothing else."""
        try:
            self.setting.sampler.begin(self.setting.folder / SAMPLES_FILE)
            self._live(lease)
            self.marks.exit_ns = time.monotonic_ns()
            self.recorded = self.setting.sampler.end()
        except SamplerLost as error:
            self.failure = self.failure or str(error)
            spool.salvage(self.setting.folder / SAMPLES_FILE)
            self.marks.exit_ns = self.marks.exit_ns or time.monotonic_ns()

    def _request(self) -> Request:
        treatment = self.planned.treatment
        return Request(
            run_id=self.planned.run_id,
            workload=treatment.workload,
            framework=treatment.framework,
            stage=treatment.stage,
            dataset=treatment.dataset,
            seed=self.setting.seed,
            device=treatment.device,
            threads=len(self.setting.cpus),
            keep_state=self.setting.keep_state,
            settings=treatment.settings,
        )

    def _live(self, lease: LeaseHolder) -> None:
        try:
            with self._worker() as job:
                self._follow(job, lease)
        except EnvironmentLost:  # not this run's failure: every run to come would have it
            raise
        except SuiteError as error:
            self.failure = str(error)

    @contextmanager
    def _worker(self) -> Iterator[RunningJob]:
        one = self.setting
        job = one.environment.start(Job(self.planned.run_id, one.folder, one.data, one.state, one.cpus))
        try:
            yield job
        finally:
            self.exit_code, hidden = job.poll(), job.failure()
            job.stop()
            self.failure = hidden or self.failure

    def _follow(self, job: RunningJob, lease: LeaseHolder) -> None:
        try:
            if not self._await(job, self.setting.timeout_s, "ready"):
                return
            self._release(job, lease)
            live = LivePower(self.setting.sampler.latest, self.setting.meters.channels, self.setting.on_power)
            if not self._await(job, self.setting.timeout_s, "done", "failed", beat=live.beat):
                return
            self._dismiss(job, lease)
        except RunTimeout as error:
            self.failure = str(error)

    def _release(self, job: RunningJob, lease: LeaseHolder) -> None:
        ready = self.tail.find("ready")
        self.marks.ready_ns = ready.t_ns if ready else None
        self.setting.sampler.attach(job.pid)
        self.marks.go_ns = time.monotonic_ns()
        lease.go()

    def _dismiss(self, job: RunningJob, lease: LeaseHolder) -> None:
        """The counters of the run's processes vanish with them: read them before the worker may go."""
        if failed := self.tail.find("failed"):
            self.failure = failed.data["error"]
        elif done := self.tail.find("done"):
            self.setting.sampler.sample()
            self.foreign = self.setting.meters.foreign_on_gpu(job.pid)
            self.marks.done_ns = done.t_ns
            lease.bye()
        self._await(job, EXIT_TIMEOUT_S)

    def _await(
        self, job: RunningJob, timeout_s: float, *kinds: str, beat: Callable[[], None] = lambda: None
    ) -> bool:
        """Waits for an event of these kinds, or for the exit; false if the worker ended without it."""
        deadline = time.monotonic() + timeout_s
        while True:
            code = job.poll()
            self.tail.poll()
            if self.tail.find(*kinds):
                return True
            if code is not None:
                self.failure = self.failure or self._exit_reason(code, kinds)
                return False
            if time.monotonic() > deadline:
                raise RunTimeout(f"no {' or '.join(kinds) or 'exit'} within {timeout_s:g} s")
            beat()
            time.sleep(POLL_S)

    @staticmethod
    def _exit_reason(code: int, kinds: tuple[str, ...]) -> str:
        if not kinds:
            return f"exit code {code} after its work was done" if code else ""
        return f"the worker ended with exit code {code} before {' or '.join(kinds)}; see console.log"

    def _record(self, started: str) -> RunRecord:
        findings = (*self.setting.findings, *checks.of_a_run(self._evidence()))
        invalid = checks.reason_invalid(findings)
        outcome = Outcome.FAILED if self.failure else Outcome.INVALID if invalid else Outcome.OK
        return RunRecord(
            campaign_id=self.setting.campaign_id,
            planned=self.planned,
            isolation=self.setting.environment.isolation,
            environment=self._environment(),
            started=started,
            **vars(self.marks),
            exit_code=self.exit_code,
            outcome=outcome,
            reason=self.failure or invalid,
            channels=self.setting.meters.channels,
            lost=self.recorded.lost if self.recorded else (),
            sampler_cpu_s=self.recorded.cpu_s if self.recorded else None,
            conditions=self.conditions,
            facts=self._told("facts"),
            work=self._told("work"),
            findings=findings,
        )

    def _told(self, kind: str) -> dict[str, Any]:
        event = self.tail.find(kind)
        return dict(event.data) if event else {}

    def _environment(self) -> dict[str, Any]:
        return {**self.setting.environment.describe(), "cpus": list(self.setting.cpus)}

    def _evidence(self) -> checks.Evidence:
        one, channels = self.setting, self.setting.meters.channels
        window = (self.marks.go_ns, self.marks.done_ns) if self.marks.go_ns and self.marks.done_ns else None
        path = one.folder / SAMPLES_FILE
        read = self.recorded is not None and window is not None
        return checks.Evidence(
            treatment=self.planned.treatment,
            isolation=one.environment.isolation,
            environment=one.environment.describe(),
            suite_sha256=suite_sha256(),
            channels=channels,
            lost=self.recorded.lost if self.recorded else (),
            series=samples.read(path, channels) if read else (),
            window=window,
            foreign=self.foreign,
            events=self.tail.seen,
            quality_floor=one.quality_floor,
            settings=(self.conditions["settings"], settings()) if self.conditions else None,
        )


@contextmanager
def _lease(folder: Path) -> Iterator[LeaseHolder]:
    lease = LeaseHolder(folder)
    try:
        yield lease
    finally:
        lease.close()
