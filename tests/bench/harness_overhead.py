"""What a run takes beyond its container: `python -m tests.bench.harness_overhead [PAIRS]`.

The same command in the same image, once by a campaign (order, sampling, checks, storage) and once by a plain
`docker run` that is told to go at once; in pairs, the order of each drawn. The campaign's own waits are set to 0.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from harness import meters
from harness.campaign import carrying_out
from harness.campaign.planned import PlannedCampaign
from harness.datasets import prepared, source
from harness.environments.docker import DockerEnvironment
from harness.environments.frameworks import framework
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import DecidedRatio, PlannedRun, PowerModel, Provenance, RunRecord, Treatment
from harness.worker.run_folder import RunFolder
from suite.protocol import Event, Request

PAIRS = 10
TARGET_S = 0.5
POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=8)
ONE_RUN = Protocol(
    repetitions=1, sample_period_s=0.1, baseline_s=0, run_timeout_s=120, expected_run_s=5, power_model=POWER_MODEL
)  # fmt: skip


class Stopwatch:
    """Observes a campaign: seconds of its run."""

    took_s = 0.0

    def run_started(self, planned: PlannedRun) -> None:
        self._began_s = time.monotonic()

    def run_event(self, event: Event) -> None: ...

    def run_finished(self, record: RunRecord) -> None:
        assert not record.reason, record.reason
        self.took_s = time.monotonic() - self._began_s

    def waiting(self, what: str) -> None: ...

    def power(self, power_w: float | None, provenance: Provenance | None) -> None: ...

    def looked(self, ratios: Sequence[DecidedRatio]) -> None: ...

    def note(self, words: str) -> None: ...


def by_campaign(folder: Path, environment: DockerEnvironment, version: str) -> float:
    treatment = Treatment(
        workload="svm", framework="sklearn", version=version, stage="train", dataset="digits", settings={"epochs": 1}
    )  # fmt: skip
    made = plan.make("bench", ONE_RUN, (treatment,), (), seed=1)
    watch = Stopwatch()
    found = meters.find_all(meters.configuration(POWER_MODEL))
    assert carrying_out.carry_out(
        PlannedCampaign(folder, made, {("sklearn", version): environment}, found), watch
    )
    return watch.took_s


def by_docker_run(folder: Path, image: str) -> float:
    request = Request(
        "bench", "svm", "sklearn", "train", "digits", 1, threads=os.cpu_count() or 1, settings={"epochs": 1}
    )
    with RunFolder(folder, request) as run:
        run.lease.go()
        run.lease.bye()
        command = [
            "docker",
            "run",
            "--rm",
            "--network",
            "none",
            "--user",
            "0:0",
            "-v",
            f"{run.request}:/request:ro",
        ]
        command += ["-v", f"{run.worker}:/job", "-v", f"{prepared.folder('digits')}:/data:ro"]
        began_s = time.monotonic()
        subprocess.run([*command, image, "/request", "/job", "/data"], check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - began_s


def main(pairs: int) -> None:
    one = framework("sklearn")
    environment = DockerEnvironment(one, one.default_version)
    environment.prepare()
    image, draw = str(environment.describe()["image_id"]), random.Random(1)
    if not prepared.is_prepared("digits"):
        prepared.prepare(source("digits"), Path())
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(pairs):
            ways = [
                (
                    "campaign",
                    lambda n=number: by_campaign(Path(name) / f"c{n}", environment, one.default_version),
                ),
                ("docker", lambda n=number: by_docker_run(Path(name) / f"d{n}", image)),
            ]
            took_s = {way: measure() for way, measure in draw.sample(ways, 2)}
            rows.append((took_s["campaign"], took_s["docker"]))
    campaign_s, docker_s = np.median(np.array(rows), axis=0)
    extra_s = float(np.median([first - second for first, second in rows]))
    print(f"| {pairs} pairs | median |\n|---|---|")
    print(f"| a run of a campaign | {campaign_s:.2f} s |\n| docker run | {docker_s:.2f} s |")
    print(f"| difference within a pair (target <= {TARGET_S:g} s) | {extra_s:+.2f} s |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS)
