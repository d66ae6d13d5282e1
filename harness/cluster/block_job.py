"""What a job does on its node: hold the whole machine, show that the node is fit, carry out one block, bring it home.

The one place of the cluster's code that measures, by the code of any campaign. Whatever happens is told in one line,
in a file that the controller reads: nothing is unpickled there.
"""

from __future__ import annotations

import logging
import math
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import meters, store
from harness.campaign import machine_lock, preparation
from harness.campaign.carrying_out import carry_out_held
from harness.cluster import collecting, disk, fitness, outcomes, suspensions
from harness.cluster.block_campaign import BlockCampaign, folder_of, of_block
from harness.cluster.fitness import Examined, NotEqualHere
from harness.cluster.places import Places
from harness.cluster.records import BlockRecord, ClusterRecord, Ending, ToldRecord
from harness.cluster.watcher import JobWatcher, ended_by
from harness.environments import interrupts
from harness.environments.base import Environment
from harness.environments.choose import Choice, choose
from harness.errors import SuiteError
from harness.files.record_files import read_record
from harness.host import machine
from harness.meters import Meters
from harness.records import CampaignRecord, Plan, PlannedRun

log = logging.getLogger(__name__)
SCRATCH = "joulemark-job-"
RESTARTED_S = 10.0  # the time of day is set right meanwhile, but by no more
HOST_LOCK = "/tmp/joulemark-campaign.lock"  # not in a TMPDIR of the job's own, which would keep nobody out


class UnfitNode(SuiteError):
    """The node cannot carry out the plan; another may."""


class Suspended(SuiteError):
    """Slurm has stopped the job meanwhile, and let it go on."""


@dataclass(frozen=True)
class BlockJob:
    """One block of the campaign in the folder of `places`, on the node where this runs."""

    places: Places
    block: int
    job_id: str
    node: str

    def run(self) -> ToldRecord:
        """Carries the block out. Never raises but for what no code can help."""
        try:
            ending, reason = self._held()
        except UnfitNode as error:
            ending, reason = Ending.UNFIT, str(error)
        except NotEqualHere as error:
            ending, reason = Ending.REFUSED, str(error)
        except Suspended as error:
            ending, reason = Ending.PREEMPTED, str(error)
        except KeyboardInterrupt:
            ending, reason = Ending.CANCELLED, "it was told to end"
        except (SuiteError, OSError) as error:
            ending, reason = Ending.FAILED, str(error)
        return ToldRecord(
            job_id=self.job_id, block=self.block, node=self.node, ending=ending,
            reason=" ".join(reason.split())[:2000],
        )  # fmt: skip

    def _held(self) -> tuple[Ending, str]:
        """Two jobs never measure at once on a host, whatever the scheduler takes for its nodes."""
        with (
            ended_by(self.places.revoked / self.job_id),
            machine_lock.hold(self.places.campaign, patience_s=math.inf),
        ):
            begin_ns = time.monotonic_ns()
            scratch = _scratch(self.job_id)
            try:
                return self._carried_out(scratch, begin_ns)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    def _carried_out(self, scratch: Path, begin_ns: int) -> tuple[Ending, str]:
        record = read_record(CampaignRecord, self.places.campaign, store.CAMPAIGN_FILE)
        ready = Ready.of(record, disk.asked(self.places), scratch, self.places.campaign)
        runs = of_block(record.order, self.block)
        self._require_fit(ready, len(runs))
        campaign = ready.campaign("block", runs)
        try:
            carry_out_held(campaign, JobWatcher())
            self._require_unsuspended()
        except BaseException:
            collecting.set_aside(campaign.folder, self.places, f"block-{self.block}-job-{self.job_id}")
            raise
        by = BlockRecord(
            block=self.block, job_id=self.job_id, node=self.node, booted_s=_booted_s(), begin_ns=begin_ns,
            end_ns=time.monotonic_ns(),
        )  # fmt: skip
        first = collecting.collect(campaign.folder, by, self.places)
        return Ending.DONE, "" if first else "the block was there already, and stays as it is"

    def _require_fit(self, ready: Ready, runs: int) -> None:
        """Raises: UnfitNode. What was found is kept until the node is started anew, or the campaign resumed."""
        with _of_the_node():
            machine.require_space(ready.scratch, runs)
        if missing := suspensions.lacking():
            raise UnfitNode(missing)
        known = disk.node(self.places, self.node)
        if known is None or abs(known.booted_s - _booted_s()) > RESTARTED_S:
            run = fitness.control_run(ready.plan, ready.record.order)
            campaign = ready.campaign("fitness", (run,))
            with _of_the_node():
                found = fitness.examine(campaign, Examined(self.node, _booted_s()), self.places, JobWatcher())
            self._require_unsuspended()  # the pause is not the node's fault
            known = found.record()
            if known.fit and ready.asked.verify:
                fitness.prove_missing(campaign)
            store.write_record(self.places.nodes / f"{self.node}.json", known)
        if not known.fit:
            raise UnfitNode(known.reason)

    def _require_unsuspended(self) -> None:
        """The controller sees a pause only where it looks meanwhile. Raises: Suspended, NotTold."""
        if suspensions.was_suspended(self.job_id):
            raise Suspended(outcomes.PAUSE)


@dataclass(frozen=True)
class Ready:
    """All that a node needs for any run of the plan."""

    record: CampaignRecord
    plan: Plan
    asked: ClusterRecord
    environments: dict[tuple[str, str], Environment]
    meters: Meters
    scratch: Path
    whole: Path

    @classmethod
    def of(cls, record: CampaignRecord, asked: ClusterRecord, scratch: Path, whole: Path) -> Ready:
        """Raises: UnfitNode for what this node lacks."""
        assert isinstance(record.plan, Plan)  # no imported campaign is carried out
        with _of_the_node():
            found = meters.find_all(meters.configuration(record.plan.power_model, record.plan.boundary))
            preparation.datasets(record.plan, log.info)
            named = {one.framework for one in record.plan.treatments}
            ready = preparation.environments(record.plan, _choice(asked), named, log.info)
        return cls(record, record.plan, asked, dict(ready.environments), found, scratch, whole)

    def campaign(self, name: str, runs: tuple[PlannedRun, ...]) -> BlockCampaign:
        folder = folder_of(self.scratch, self.whole, name)
        plan = self.plan if name == "block" else self.plan.model_copy(update=ALONE)
        return BlockCampaign(
            folder, plan, self.environments, self.meters, self.record.findings, only=runs,
            identity=self.record.identity, states=self.whole / store.STATES,
        )  # fmt: skip


# Of the plan of a control workload alone: nothing comes before it.
ALONE = {"warm_up_s": 0.0, "rehearse": False, "retries": 0, "baseline_s": 0.0}


@contextmanager
def _of_the_node() -> Iterator[None]:
    """What goes wrong here is the node's own lack: another may have it."""
    try:
        yield
    except SuiteError as error:
        raise UnfitNode(str(error)) from error


def _choice(asked: ClusterRecord) -> Choice:
    kind = f"interpreter={asked.interpreter}" if asked.interpreter else asked.isolation
    return choose(kind, asked.device)


def _scratch(job_id: str) -> Path:
    """On the node's own disk; what killed jobs have left there goes, since nobody else holds the host."""
    place = Path(os.environ.get("SLURM_TMPDIR") or tempfile.gettempdir())
    for left in place.glob(f"{SCRATCH}*"):
        if not left.is_symlink() and left.stat().st_uid == os.getuid():
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{SCRATCH}{job_id}-", dir=place))


def _booted_s() -> float:
    """The time of day at which the machine's monotonic clock stood at 0."""
    return time.time() - time.monotonic()


def run(campaign: str, block: int) -> None:
    """What submitit calls on the node."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    os.environ.setdefault("JOULEMARK_LOCK", HOST_LOCK)
    interrupts.only_the_first()  # in place of submitit's, which would go on after SIGTERM
    job = BlockJob(Places(Path(campaign)), block, os.environ["SLURM_JOB_ID"], os.environ["SLURMD_NODENAME"])
    told = job.run()
    log.info("block %d on %s: %s %s", block, told.node, told.ending, told.reason)
    store.write_record(job.places.told / f"{job.job_id}.json", told)
