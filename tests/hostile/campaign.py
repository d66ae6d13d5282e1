"""A campaign whose every run is a hostile one: `python -m tests.hostile.campaign FOLDER ATTACK...`, as any user."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from harness import meters
from harness.campaign import carrying_out, execution
from harness.campaign.planned import PlannedCampaign
from harness.datasets import prepared, source
from harness.environments import container, sandbox
from harness.environments.base import Job, RunningJob
from harness.environments.docker import connect, sweep
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import Limits, PowerModel, Treatment
from tests.hostile.worker import ATTACKS, LEAVES
from tests.observers import Silent

BASE = "joulemark/base:bookworm"
SOURCE = Path(__file__).with_name("worker.py").read_text()
POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=8)
MEMORY_BYTES = 1 << 28
PROTOCOL = Protocol(
    repetitions=1,
    sample_period_s=0.05,
    baseline_s=0,
    run_timeout_s=5,
    expected_run_s=1,
    power_model=POWER_MODEL,
    limits=Limits(
        memory_share=MEMORY_BYTES / sandbox.memory_bytes(Limits(memory_share=1)),
        scratch_bytes=8 << 20,
        scratch_files=512,
        output_bytes=4 << 20,
    ),
)


class HostileEnvironment:
    """An image of somebody else's, whose program is the hostile worker; all else is as in every container."""

    isolation, version = "docker", "1.0"

    def __init__(self) -> None:
        self._client = connect()
        self._image = self._client.images.get(BASE)
        self._driver = str(self._client.info()["CgroupDriver"])

    def prepare(self) -> None:
        """The base is there."""

    def describe(self) -> dict[str, Any]:
        return {"python": "3.11", "packages": {}}

    def start(self, job: Job) -> RunningJob:
        user = sandbox.worker_user(job.request, (10001, 10001))
        settings = sandbox.container_arguments(job, user, sandbox.cgroup_of_its_own(self._driver))
        settings["entrypoint"] = ["python3", "-c", SOURCE]
        return container.start(self._client, self._image, job, settings)

    def sweep(self) -> None:
        sweep(self._client)


def campaign(folder: Path, attacks: list[str]) -> PlannedCampaign:
    """Each attack is a treatment; those of what is left behind are tried by the run that trains for stage infer."""
    treatments = [
        Treatment(
            workload="svm",
            framework="sklearn",
            version="1.0",
            stage="infer" if name in LEAVES else "train",
            dataset="digits",
            settings={"attack": name},
        )
        for name in attacks
    ]
    made = plan.make("hostile", PROTOCOL, treatments, (), seed=1)
    found = meters.find_all(meters.configuration(POWER_MODEL))
    return PlannedCampaign(folder, made, {("sklearn", "1.0"): HostileEnvironment()}, found)


def main(folder: Path, attacks: list[str]) -> None:
    execution.EXIT_TIMEOUT_S, container.STOP_TIMEOUT_S = 3.0, 1  # so that who does not end costs less time
    if not prepared.is_prepared("digits"):
        prepared.prepare(source("digits"), Path())
    carrying_out.carry_out(campaign(folder, attacks or list(ATTACKS)), Silent())


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
