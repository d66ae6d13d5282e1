"""Whether workers can be looked at here, tried before any run: one in each kind of environment, which never hears "go".

Trying tells what no rule would: users and their namespaces, Yama, other security modules, the container engine.
"""

from __future__ import annotations

import select
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from harness.campaign.planned import PlannedCampaign
from harness.datasets import prepared
from harness.environments.base import Environment, Job, RunningJob
from harness.environments.frameworks import compiles
from harness.environments.started import started
from harness.profiling import spy_program
from harness.profiling.spy_program import SpyFailed
from harness.records import PlannedRun, Profiler
from harness.store import CONSOLE_FILE
from harness.worker.follow import EventTail
from harness.worker.run_folder import RunFolder
from suite.protocol import Request

RUN_ID = "look"
READY_TIMEOUT_S = 120.0
POLL_S = 0.02


def require(campaign: PlannedCampaign, runs: Iterable[PlannedRun]) -> None:
    """Of the runs to come. Raises: SpyFailed with cause and remedy where one is profiled and cannot be looked at."""
    looked_at = [one for one in runs if one.looked_at]
    kinds = {
        (campaign.environments[_place(one)].isolation, one.looked_at_by): one for one in reversed(looked_at)
    }
    for planned in kinds.values():
        _try(campaign, planned, campaign.environments[_place(planned)])


def _place(planned: PlannedRun) -> tuple[str, str]:
    return planned.treatment.framework, planned.treatment.version


def _try(campaign: PlannedCampaign, planned: PlannedRun, environment: Environment) -> None:
    with tempfile.TemporaryDirectory(prefix="joulemark-") as place:
        path = Path(place) / RUN_ID
        with (
            RunFolder(path, _request(campaign, planned)) as folder,
            closing(EventTail(folder.events, path, lambda event: None)) as tail,
            started(environment, _job(campaign, planned, folder)) as job,
        ):
            _await_ready(job, folder, tail)
            spy_program.look_once(job.worker_pid, planned.looked_at_by is Profiler.NATIVE)


def _request(campaign: PlannedCampaign, planned: PlannedRun) -> Request:
    one = planned.treatment
    return Request(
        run_id=RUN_ID,
        workload=one.workload,
        framework=one.framework,
        stage=one.stage,
        dataset=one.dataset,
        seed=campaign.plan.seed,
    )


def _job(campaign: PlannedCampaign, planned: PlannedRun, folder: RunFolder) -> Job:
    one = planned.treatment
    return Job(
        run_id=RUN_ID,
        console=folder.path / CONSOLE_FILE,
        request=folder.request,
        worker=folder.worker,
        data=prepared.folder(one.dataset),
        state=None,
        cpus=campaign.cpus.workload,
        limits=campaign.plan.limits,
        compiles=compiles(one.framework, [one.settings.get("mode")]),
    )


def _await_ready(job: RunningJob, folder: RunFolder, tail: EventTail) -> None:
    end_s = time.monotonic() + READY_TIMEOUT_S
    while not tail.find("ready"):
        if job.poll() is not None or time.monotonic() > end_s:
            raise SpyFailed(
                f"the worker that was to be looked at did not begin: {job.failure() or 'see suite doctor'}"
            )
        select.select(folder.pipes, [], [], POLL_S)
        tail.poll()
