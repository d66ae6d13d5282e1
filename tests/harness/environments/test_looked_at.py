"""A container's worker is looked at from outside, and its container is that of any run: not a capability more."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import docker
import psutil
import pytest

from harness import paths
from harness.attribution.functions import is_native
from harness.campaign.equipment import Equipment
from harness.campaign.execution import Execution
from harness.environments.base import RunningJob
from harness.environments.docker import DockerEnvironment
from harness.environments.sandbox import RUN_LABEL
from harness.meters import configuration, find_all
from harness.profiling import spy, stacks_file
from harness.profiling.rights import CAP_SYS_PTRACE
from harness.records import Limits, PlannedRun, PowerModel, Purpose, Treatment
from harness.sampling.client import Sampler
from suite.protocol import Event

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]

WORKS = """
import ctypes, time
ctypes.CDLL(None).prctl(15, b"renamed", 0, 0, 0)
def compute(until):
    while time.monotonic() < until:
        pass
exec(compile("compute(time.monotonic() + 30)", "/opt/joulemark/suite/run.py", "exec"))
"""
POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=8)


def test_the_stacks_of_a_container_s_worker_are_seen_from_outside(
    inside: Callable[..., RunningJob], tmp_path: Path
) -> None:
    running = inside(WORKS)
    worker = psutil.Process(running.worker_pid)
    assert worker.parent() == psutil.Process(running.pid)
    while worker.name() != "renamed":
        time.sleep(0.01)
    with spy.beside(running.worker_pid, tmp_path):
        time.sleep(1)
    seen = stacks_file.read(tmp_path).stacks
    assert len(seen) > 100
    assert sum("compute" in one for one in seen) > 0.9 * len(seen)
    status = dict(line.split(":\t") for line in Path(f"/proc/{worker.pid}/status").read_text().splitlines())
    assert {int(status[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapBnd")} == {0}


@pytest.mark.skipif(os.geteuid() != 0, reason="native frames in a container need root")
def test_native_frames_are_seen_inside_with_one_right_of_root_s(
    inside: Callable[..., RunningJob], tmp_path: Path
) -> None:
    running = inside(WORKS)
    while psutil.Process(running.worker_pid).name() != "renamed":
        time.sleep(0.01)
    with spy.beside(running.worker_pid, tmp_path, native=True) as spied:
        (looks,) = (one for one in psutil.Process().children() if one.name() == "py-spy")
        rights = {one for one in Path(f"/proc/{looks.pid}/status").read_text().splitlines() if "Cap" in one}
        time.sleep(5)
    assert spied.joined and f"CapEff:\t{1 << CAP_SYS_PTRACE:016x}" in rights
    seen = stacks_file.read(tmp_path).stacks
    assert sum("compute" in one for one in seen) > 0.9 * len(seen) > 10
    assert any(is_native(one) for one in seen)
    assert running.poll() is None


LOOK = "import sys; from harness.profiling.spy_program import look_once; look_once(int(sys.argv[1]))"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give rights away")
@pytest.mark.parametrize(
    ("without", "words"),
    [
        (["setpriv", "--bounding-set", "-sys_ptrace"], "this root lacks CAP_SYS_PTRACE"),
        (["unshare", "--user", "--map-root-user"], "one of a user namespace"),
    ],
    ids=["no-capability", "user-namespace"],
)
def test_who_may_not_look_into_a_container_is_told_why(
    without: list[str], words: str, inside: Callable[..., RunningJob]
) -> None:
    running = inside("import time; time.sleep(600)")
    command = [*without, sys.executable, "-c", LOOK, str(running.worker_pid)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=paths.ROOT, check=False)
    assert words in done.stderr.splitlines()[-1]


def test_of_a_container_that_has_ended_nobody_is_the_worker(inside: Callable[..., RunningJob]) -> None:
    running = inside("pass")
    while running.poll() is None:
        time.sleep(0.01)
    assert running.worker_pid == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="another user may look only where Yama lets him")
def test_a_profiled_run_s_container_is_that_of_a_measured_one(
    environment: DockerEnvironment, engine: docker.DockerClient, tmp_path: Path
) -> None:
    """By the engine's own word, once the worker is ready; its run fails, as the tiny image has no framework."""
    measured, profiled, natively = (
        settings(environment, engine, tmp_path, *how)
        for how in ((Purpose.MEASURE, False), (Purpose.PROFILE, False), (Purpose.PROFILE, True))
    )
    assert measured == profiled == natively
    assert (profiled["CapAdd"], profiled["CapDrop"]) == (None, ["ALL"])
    assert profiled["SecurityOpt"] == ["no-new-privileges"]


def settings(
    environment: DockerEnvironment,
    engine: docker.DockerClient,
    tmp_path: Path,
    purpose: Purpose,
    native: bool,
) -> Mapping[str, Any]:
    seen: list[dict[str, Any]] = []
    run_id = f"test-{os.getpid()}-{purpose}-{native}"

    def look(event: Event) -> None:
        if event.kind == "ready":
            (one,) = engine.containers.list(filters={"label": f"{RUN_LABEL}={run_id}"})
            seen.append(one.attrs["HostConfig"])

    treatment = Treatment(workload="svm", framework="tiny", version="1.0", stage="train", dataset="digits")
    planned = PlannedRun(
        run_id=run_id, block=1, position=1, repetition=1, treatment=treatment, purpose=purpose
    )
    equipment = Equipment(
        campaign_id="c", environment=environment, meters=find_all(configuration(POWER_MODEL)),
        folder=tmp_path / run_id, data=tmp_path, state=None, cpus=(0,), seed=1, sampler=Sampler(POWER_MODEL, 0.05),
        timeout_s=60, metric=None, quality_floor={}, limits=Limits(), profiled=purpose is Purpose.PROFILE,
        native=native, on_event=look,
    )  # fmt: skip
    with equipment.sampler:
        record = Execution(planned, equipment).carry_out()
    assert bool(record.profiler) == (purpose is Purpose.PROFILE)
    assert record.profiler.get("capabilities_kept") == (["CAP_SYS_PTRACE"] if native else None)
    assert (
        record.reason and "py-spy" not in record.reason
    )  # it looked, until the worker failed for want of a framework
    (found,) = seen
    return {name: value for name, value in found.items() if name not in ("CgroupParent", "Mounts")}
