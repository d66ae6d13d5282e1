"""The one process that carries a campaign out on a cluster: it submits blocks, watches them, hands out what is home.

It holds the campaign's lock, plans nothing and measures nothing. What it knows is on disk: killed at any moment, it
goes on from there, with those of its jobs that are still in the queue.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from harness import store
from harness.cluster import collecting, disk, nodes, outcomes, queue, work
from harness.cluster.asking import QueueSilent
from harness.cluster.nodes import Collected
from harness.cluster.outcomes import JobOutcome, JobState
from harness.cluster.places import Places
from harness.cluster.records import ClusterRecord, Ending, JobRecord
from harness.cluster.work import Work
from harness.errors import MissingPrerequisite, UsageError
from harness.records import CampaignRecord

POLL_S = 2.0
WORD_S = 20.0  # a job's own word may come later than Slurm's: it is written to a network's file system
HAND_OUT_S = 60.0  # between two rewritings of a record, which may be large
CANCELLING_S = 60.0  # Slurm kills what has not ended 30 s after it was told to (KillWait)
BROKEN_OFF = "the campaign was broken off"
AGAIN = (Ending.UNFIT,)  # what another node may mend
Say = Callable[[str], None]


@dataclass
class Controller:
    """Of the campaign in the folder of `places`, whose lock the caller holds."""

    places: Places
    record: CampaignRecord
    asked: ClusterRecord
    say: Say
    _jobs: dict[str, JobRecord] = field(default_factory=dict, init=False)
    _ended_before: frozenset[str] = field(default_factory=frozenset, init=False)  # when it began
    _collected: dict[int, Collected] = field(default_factory=dict, init=False)
    _given_up: set[int] = field(default_factory=set, init=False)
    _excluded: dict[str, str] = field(default_factory=dict, init=False)
    _handed_s: float = field(default=0.0, init=False)
    _over_s: dict[str, float] = field(default_factory=dict, init=False)
    _shown: dict[str, str] = field(default_factory=dict, init=False)

    def carry_out(self) -> None:
        """Until every block is home or given up. Ctrl-C cancels what is in the queue, and leaves the rest to --resume.

        Raises: UsageError where Slurm refuses a job, MissingPrerequisite where no node is left or the plan is refused.
        """
        try:
            self._jobs = {one.job_id: one for one in disk.jobs(self.places)}
            self._ended_before = frozenset(one.job_id for one in self._jobs.values() if one.ending)
            self.hand_out()
            self._know_nodes()
            while not self._work.is_over:
                self._submit()
                time.sleep(POLL_S)
                self._look()
        except BaseException:
            self._withdraw()
            with suppress(OSError):  # a full disk, which may be why
                self.hand_out()
            raise
        self.hand_out()

    @cached_property
    def _blocks(self) -> tuple[int, ...]:
        return work.blocks_of(self.record.order)

    @property
    def _live(self) -> list[JobRecord]:
        return work.under_way(self._jobs.values())

    @property
    def _work(self) -> Work:
        live = frozenset(one.block for one in self._live)
        return Work(self._blocks, disk.home(self.places), frozenset(self._given_up), live)

    def _keep(self, job: JobRecord) -> None:
        disk.keep_job(self.places, job)
        self._jobs[job.job_id] = job

    def _submit(self) -> None:
        for block in self._work.next_ones(self.asked.options.nodes):
            self._require_a_node()
            try:
                job_id = queue.submit(
                    self.places.campaign.absolute(),
                    block,
                    self.asked.options,
                    self._excluded,
                    self.places.logs,
                )
            except UsageError as error:
                if not self._live:
                    raise
                self._once("refused", f"{error}; waiting until another job has ended")  # a site's limit
                return
            self._keep(JobRecord(job_id=job_id, block=block, submitted=_now()))

    def _require_a_node(self) -> None:
        """Raises: MissingPrerequisite where every node that there is was found unfit."""
        with suppress(QueueSilent):
            if self._excluded and not queue.nodes(self.asked.options) - set(self._excluded):
                why = "; ".join(f"{name}: {reason}" for name, reason in self._excluded.items())
                raise MissingPrerequisite(f"no node is left that is fit: {why}")

    def _look(self) -> None:
        """At every job that is under way."""
        live = self._live
        try:
            states = queue.states([one.job_id for one in live])
        except QueueSilent as error:
            self._once("queue", f"Slurm does not answer ({error}); waiting for it")
            return
        for job in live:
            self._look_at(job, states.get(job.job_id, JobState("")))
        self._know_nodes()
        if time.monotonic() > self._handed_s + HAND_OUT_S:
            self.hand_out()

    def _look_at(self, job: JobRecord, state: JobState) -> None:
        told = disk.told(self.places, job.job_id)
        if told and told.ending is Ending.DONE:  # where Slurm has lost the node, it says so minutes later
            self._ended(job, state, JobOutcome(Ending.DONE, told.reason))
        elif outcomes.is_hopeless(state):
            queue.cancel([job.job_id])
            self._ended(job, state, JobOutcome(Ending.FAILED, f"{outcomes.UNSTARTED}{state.reason}"))
        elif outcomes.is_paused(state):
            queue.cancel([job.job_id])
            self._ended(job, state, JobOutcome(Ending.PREEMPTED, outcomes.PAUSE))
        elif outcomes.is_over(state):
            since_s = self._over_s.setdefault(job.job_id, time.monotonic())
            if told or time.monotonic() > since_s + WORD_S or state.word not in ("COMPLETED", ""):
                self._ended(job, state, outcomes.outcome(state, told))
        elif state.word in outcomes.AT_WORK and state.node:
            self._once(job.job_id, f"block {job.block}: running on {state.node} (job {job.job_id})")
            if job.node is None:
                self._keep(job.model_copy(update={"node": state.node, "state": state.word}))

    def _ended(self, job: JobRecord, state: JobState, found: JobOutcome) -> None:
        """Whatever is left of it shall end by itself, where Slurm does not reach it any more."""
        if found.ending is not Ending.DONE:
            (self.places.revoked / job.job_id).touch()
        told = disk.told(self.places, job.job_id)
        node = told.node if told else state.node or job.node
        ended = {
            "node": node or None,
            "state": state.state[:64],
            "ending": found.ending,
            "reason": found.reason,
        }
        self._keep(job.model_copy(update=ended))
        if found.ending is Ending.DONE:
            self.say(f"block {job.block}: done on {node}")
            if job.block == 0:
                self.hand_out()  # the others begin with what it trained
            return
        self.say(f"block {job.block}: {told_of(found)} (job {job.job_id}{f', {node}' if node else ''})")
        if found.ending is Ending.REFUSED:
            raise MissingPrerequisite(found.reason)
        if found.ending not in AGAIN:
            self._given_up.add(job.block)

    def _know_nodes(self) -> None:
        known = work.unfit(disk.nodes(self.places))
        since = [one for one in self._jobs.values() if one.job_id not in self._ended_before]
        for node, reason in {**known, **work.left_out(since, known)}.items():
            if node not in self._excluded:
                self._excluded[node] = reason
                self.say(f"{node} gets no work: {reason}")

    def _withdraw(self) -> None:
        """Cancels what is in the queue, and waits until it has ended, so that nothing measures any more."""
        live = self._live
        if not live:
            return
        self.say(f"cancelling {plural(len(live), 'job')}")
        for job in live:
            (self.places.revoked / job.job_id).touch()
        queue.cancel([one.job_id for one in live])
        self._await_end([one.job_id for one in live])
        for job in live:
            told = disk.told(self.places, job.job_id)
            home = told is not None and told.ending is Ending.DONE
            ending, reason = (Ending.DONE, "") if home else (Ending.CANCELLED, BROKEN_OFF)
            ended = {"ending": ending, "state": "CANCELLED", "reason": reason}
            self._keep(job.model_copy(update=ended))

    def _await_end(self, job_ids: Sequence[str]) -> None:
        end_s = time.monotonic() + CANCELLING_S
        with suppress(QueueSilent):
            while time.monotonic() < end_s and not all(map(outcomes.is_over, queue.states(job_ids).values())):
                time.sleep(POLL_S / 4)

    def hand_out(self) -> None:
        """What is home to where readers look, after whose it is was written down."""
        self._handed_s = time.monotonic()
        if not (new := sorted(disk.home(self.places) - self._collected.keys())):
            return
        self._collected |= {block: disk.collected(self.places.of_block(block)) for block in new}
        self.record = nodes.record_of(self.record, list(self._collected.values()))
        store.write_record(self.places.campaign / store.CAMPAIGN_FILE, self.record)
        for block in new:
            collecting.hand_out(self.places, self.places.of_block(block))

    def _once(self, about: str, line: str) -> None:
        if self._shown.get(about) != line:
            self._shown[about] = line
            self.say(line)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def told_of(found: JobOutcome) -> str:
    return f"{found.ending}: {found.reason}" if found.reason else str(found.ending)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
