"""One run: start the environment, go, sample, finish. What happened is in the record, whatever happened."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from harness import conditions, spool
from harness.environments.base import Job, RunningJob
from harness.errors import EnvironmentLost, SuiteError
from harness.follow import EventTail
from harness.live_power import LivePower
from harness.records import PlannedRun, RunRecord
from harness.run_record import Seen, record_of, record_of_none
from harness.sampler import SamplerLost
from harness.setting import Setting
from harness.store import SAMPLES_FILE
from suite.protocol import LeaseHolder, Request

POLL_S = 0.02
EXIT_TIMEOUT_S = 30.0


class RunTimeout(Exception):
    """The worker took longer than the plan allows."""


@dataclass
class Execution:
    """Carries out one run."""

    planned: PlannedRun
    setting: Setting
    seen: Seen = field(init=False)  # from its beginning on

    def carry_out(self) -> RunRecord:
        """Runs the worker to its end. Whatever interrupts it, no process is left behind."""
        folder = self.setting.folder
        folder.mkdir(parents=True)
        self._request().write(folder)
        tail = EventTail(folder, self.setting.on_event)
        self.seen = Seen(tail, conditions.at_start(self.setting.data))
        with closing(LeaseHolder(folder)) as lease:
            self._live_sampled(lease)
        return record_of(self.planned, self.setting, self.seen)

    def not_applicable(self, reason: str) -> RunRecord:
        """The record of a run that cannot be made."""
        self.setting.folder.mkdir(parents=True)
        return record_of_none(self.planned, self.setting, reason)

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

    def _live_sampled(self, lease: LeaseHolder) -> None:
        """Samples into the run's folder; a sampler that dies costs this run, nothing else."""
        marks = self.seen.marks
        try:
            self.setting.sampler.begin(self.setting.folder / SAMPLES_FILE)
            self._live(lease)
            marks.exit_ns = time.monotonic_ns()
            self.seen.recorded = self.setting.sampler.end()
        except SamplerLost as error:
            self.seen.failure = self.seen.failure or str(error)
            spool.salvage(self.setting.folder / SAMPLES_FILE)
            marks.exit_ns = marks.exit_ns or time.monotonic_ns()

    def _live(self, lease: LeaseHolder) -> None:
        try:
            with self._worker() as job:
                self._follow(job, lease)
        except EnvironmentLost:  # not this run's failure: every run to come would have it
            raise
        except SuiteError as error:
            self.seen.failure = str(error)

    @contextmanager
    def _worker(self) -> Iterator[RunningJob]:
        one = self.setting
        job = one.environment.start(Job(self.planned.run_id, one.folder, one.data, one.state, one.cpus))
        try:
            yield job
        finally:
            self.seen.exit_code, hidden = job.poll(), job.failure()
            job.stop()
            self.seen.failure = hidden or self.seen.failure

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
            self.seen.failure = str(error)

    def _release(self, job: RunningJob, lease: LeaseHolder) -> None:
        ready = self.seen.tail.find("ready")
        self.seen.marks.ready_ns = ready.t_ns if ready else None
        self.setting.sampler.attach(job.pid)
        self.seen.marks.go_ns = time.monotonic_ns()
        lease.go()

    def _dismiss(self, job: RunningJob, lease: LeaseHolder) -> None:
        """The counters of the run's processes vanish with them: read them before the worker may go."""
        if failed := self.seen.tail.find("failed"):
            self.seen.failure = failed.data["error"]
        elif done := self.seen.tail.find("done"):
            self.setting.sampler.sample()
            self.seen.foreign = self.setting.meters.foreign_on_gpu(job.pid)
            self.seen.marks.done_ns = done.t_ns
            lease.bye()
        self._await(job, EXIT_TIMEOUT_S)

    def _await(
        self, job: RunningJob, timeout_s: float, *kinds: str, beat: Callable[[], None] = lambda: None
    ) -> bool:
        """Waits for an event of these kinds, or for the exit; false if the worker ended without it."""
        deadline = time.monotonic() + timeout_s
        while True:
            code = job.poll()
            self.seen.tail.poll()
            if self.seen.tail.find(*kinds):
                return True
            if code is not None:
                self.seen.failure = self.seen.failure or _exit_reason(code, kinds)
                return False
            if time.monotonic() > deadline:
                raise RunTimeout(f"no {' or '.join(kinds) or 'exit'} within {timeout_s:g} s")
            beat()
            time.sleep(POLL_S)


def _exit_reason(code: int, kinds: tuple[str, ...]) -> str:
    if not kinds:
        return f"exit code {code} after its work was done" if code else ""
    return f"the worker ended with exit code {code} before {' or '.join(kinds)}; see console.log"
