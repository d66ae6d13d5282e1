"""One run: start the environment, go, sample, finish. What happened is in the record, whatever happened."""

from __future__ import annotations

import errno
import os
import select
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field

from harness.campaign import answered, profiled
from harness.campaign.equipment import Equipment
from harness.campaign.live_power import LivePower
from harness.campaign.run_record import Seen, record_of, record_of_none
from harness.devices import HOST
from harness.environments.base import Job, RunningJob
from harness.environments.frameworks import compiles
from harness.environments.sandbox import OUT_OF_MEMORY, memory_told
from harness.environments.started import started
from harness.errors import EnvironmentLost, SuiteError
from harness.host import conditions
from harness.profiling import spy
from harness.profiling.spy import Spied
from harness.profiling.spy_program import SpyFailed
from harness.profiling.told import MOST_BYTES
from harness.records import Limits, PlannedRun, RunRecord
from harness.sampling import writing
from harness.sampling.client import SamplerLost
from harness.store import CONSOLE_FILE, SAMPLES_FILE
from harness.worker.follow import EventTail
from harness.worker.run_folder import RunFolder
from suite.protocol import Request

POLL_S = 0.02
EXIT_TIMEOUT_S = 30.0


class RunTimeout(Exception):
    """The worker took longer than the plan allows."""


@dataclass
class Execution:
    """Carries out one run."""

    planned: PlannedRun
    equipment: Equipment
    seen: Seen = field(init=False)  # from its beginning on
    _folder: RunFolder = field(init=False)
    _tail: EventTail = field(init=False)

    def carry_out(self) -> RunRecord:
        """Runs the worker to its end. Whatever interrupts it, no process is left behind."""
        path, judged = self.equipment.folder, answered.is_judged(self.planned.treatment)
        answers_bytes = self.equipment.limits.output_bytes if judged else 0
        with (
            RunFolder(path, self._request(), self._output_bytes, answers_bytes) as self._folder,
            closing(EventTail(self._folder.events, path, self.equipment.on_event)) as self._tail,
        ):
            self.seen = Seen(conditions.at_start(self.equipment.data), self._tail.told)
            self._live_sampled()
        self._keep_profile()
        return record_of(self.planned, self.equipment, self.seen)

    def not_applicable(self, reason: str) -> RunRecord:
        """The record of a run that cannot be made."""
        self.equipment.folder.mkdir(parents=True)
        return record_of_none(self.planned, self.equipment, reason)

    @property
    def _output_bytes(self) -> int:
        """The most that it may leave behind: a trained state, a profile, or nothing."""
        if self.equipment.keep_state:
            return self.equipment.limits.output_bytes
        return MOST_BYTES if self.equipment.profiler else 0

    def _keep_profile(self) -> None:
        """A run that left none, or what is none, has failed: it was made for nothing else."""
        if self.equipment.profiler and not self.seen.failure:
            try:
                profiled.keep(self.equipment.profiler, self.equipment.folder)
            except SuiteError as error:
                self.seen.failure = str(error)

    def _request(self) -> Request:
        treatment = self.planned.treatment
        return Request(
            run_id=self.planned.run_id,
            workload=treatment.workload,
            framework=treatment.framework,
            stage=treatment.stage,
            dataset=treatment.dataset,
            seed=self.equipment.seed,
            device=treatment.device,
            threads=len(self.equipment.cpus),
            keep_state=self.equipment.keep_state,
            profiler=self.equipment.profiler,
            settings=treatment.settings,
        )

    def _live_sampled(self) -> None:
        """Samples into the run's folder; a sampler that dies costs this run, nothing else."""
        marks = self.seen.marks
        try:
            self.equipment.sampler.begin(self.equipment.folder / SAMPLES_FILE)
            self._live()
            marks.exit_ns = time.monotonic_ns()
            self.seen.recorded = self.equipment.sampler.end()
        except SamplerLost as error:
            self.seen.failure = self.seen.failure or str(error)
            writing.salvage(self.equipment.folder / SAMPLES_FILE)
            marks.exit_ns = marks.exit_ns or time.monotonic_ns()

    def _live(self) -> None:
        try:
            with self._worker() as job:
                self._follow(job)
            self._take_in()  # what it told as it ended
        except EnvironmentLost:  # not this run's failure: every run to come would have it
            raise
        except SuiteError as error:
            self.seen.failure = self.seen.failure or str(error)

    @contextmanager
    def _worker(self) -> Iterator[RunningJob]:
        with started(self.equipment.environment, self._job()) as job:
            try:
                yield job
            finally:
                self.seen.exit_code = job.poll()
                self.seen.failure = job.failure() or self.seen.failure

    def _job(self) -> Job:
        one, folder = self.equipment, self._folder
        return Job(
            run_id=self.planned.run_id,
            console=one.folder / CONSOLE_FILE,
            request=folder.request,
            worker=folder.worker,
            data=one.data,
            state=one.state,
            cpus=one.cpus,
            limits=one.limits,
            compiles=self._compiles,
        )

    @property
    def _compiles(self) -> bool:
        one = self.planned.treatment
        return compiles(one.framework, [one.settings.get("mode")])

    def _follow(self, job: RunningJob) -> None:
        try:
            if not self._await(job, self.equipment.timeout_s, "ready"):
                return
            if self._released_and_looked_at(job):
                self._dismiss(job)
        except RunTimeout as error:
            self.seen.failure = self.seen.failure or str(error)

    def _released_and_looked_at(self, job: RunningJob) -> bool:
        """As _released. A look that fails is the run's failure, and keeps no worker from its own end."""
        told, spied = False, None
        try:
            with self._looked_at(job) as spied:
                told = self._released(job)
        except SpyFailed as error:
            self.seen.failure = self.seen.failure or str(error)
        if spied:
            self.seen.profiler_cpu_s, self.seen.profiler_joined = spied.cpu_s, spied.joined
        return told

    def _looked_at(self, job: RunningJob) -> AbstractContextManager[Spied | None]:
        """From outside, where the run shall be: the worker itself is the same either way."""
        one = self.equipment
        return spy.beside(job.worker_pid, one.folder, one.cpus, one.native) if one.profiled else nullcontext()

    def _released(self, job: RunningJob) -> bool:
        """From "go" until it has told all of its work, or has failed; false if it ended without a word.

        What looks at it ends before it may go: with a container's first process the kernel ends all others in it.
        """
        self._release(job)
        live = LivePower(
            self.equipment.sampler.latest, self.equipment.meters.channels, self.equipment.on_power
        )
        told = self._await(job, self.equipment.timeout_s, "done", "failed", beat=live.beat)
        if told:
            self._heard(job)
        return told

    def _release(self, job: RunningJob) -> None:
        ready = self._tail.find("ready")
        self.seen.marks.ready_ns = ready.t_ns if ready else None
        self.equipment.sampler.attach(job.pid)
        self.seen.marks.go_ns = time.monotonic_ns()
        self._folder.lease.go()

    def _heard(self, job: RunningJob) -> None:
        """The counters of the run's processes vanish with them: read them before the worker may go."""
        if failed := self._tail.find("failed"):
            device = self.planned.treatment.device
            self.seen.failure = _with_the_limit(failed.data["error"], self.equipment.limits, device)
        elif done := self._tail.first("done"):
            self.equipment.sampler.sample()
            self.seen.foreign = self.equipment.meters.foreign_on_gpu(job.pid)
            self.seen.marks.done_ns = done.event.t_ns
            self.seen.marks.done_seen_ns, self.seen.marks.done_since_ns = done.seen_ns, done.since_ns

    def _dismiss(self, job: RunningJob) -> None:
        if self.seen.marks.done_ns:
            self.seen.marks.bye_ns = time.monotonic_ns()
            self._folder.lease.bye()
        self._await(job, EXIT_TIMEOUT_S)

    def _await(
        self, job: RunningJob, timeout_s: float, *kinds: str, beat: Callable[[], None] = lambda: None
    ) -> bool:
        """Waits for an event of these kinds, or for the exit; false if the worker ended without it."""
        deadline = time.monotonic() + timeout_s
        while True:
            code = job.poll()
            self._take_in()
            if self._tail.find(*kinds):
                return True
            if code is not None:
                self.seen.failure = self.seen.failure or _exit_reason(code, kinds)
                return False
            if time.monotonic() > deadline:
                raise RunTimeout(f"no {' or '.join(kinds) or 'exit'} within {timeout_s:g} s")
            beat()
            select.select(self._folder.pipes, [], [], POLL_S)  # an event is seen as it comes

    def _take_in(self) -> None:
        """What the worker has told and left so far. Raises: SuiteError for what no worker of ours would send."""
        self._tail.poll()
        self._folder.take_output()


def _with_the_limit(error: str, limits: Limits, device: str) -> str:
    """What a worker says of a full /tmp, or of memory that it did not get, with how much of the host's it may have."""
    if os.strerror(errno.ENOSPC) in error:
        return (
            f"{error} (its /tmp holds {limits.scratch_bytes} bytes in {limits.scratch_files} files: scratch_bytes and "
            "scratch_files of the plan)"
        )
    if OUT_OF_MEMORY.search(error):
        return f"out of memory: {error}" + (f" ({memory_told(limits)})" if device == HOST else "")
    return error


def _exit_reason(code: int, kinds: tuple[str, ...]) -> str:
    if not kinds:
        return f"exit code {code} after its work was done" if code else ""
    return f"the worker ended with exit code {code} before {' or '.join(kinds)}; see console.log"
