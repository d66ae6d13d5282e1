"""A real Apptainer, on a machine that has one: what a worker can and cannot do inside. By hand: `make test-slow`.

As an ordinary user, with JOULEMARK_BASE_ARCHIVE naming what `docker save joulemark/base:bookworm` wrote, or with a
registry at hand.
"""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import psutil
import pytest

from harness.environments import apptainer_command, process
from harness.environments.apptainer import ApptainerEnvironment
from harness.environments.apptainer_job import ApptainerJob
from harness.environments.base import Job
from tests.desk import Desk
from tests.harness.environments.containers import STUBBORN, await_event, exit_code
from tests.harness.environments.tiny_image import TINY, make_tiny

pytestmark = pytest.mark.slow

TELL = """
import json, os, pathlib, socket
def writes(place):
    try:
        pathlib.Path(place).write_text("x")
    except OSError:
        return False
    return True
places = ("/x", "/opt/venv/x", "/request/x", "/data/x", "/job/x", "/tmp/x")
told = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if line.startswith("Cap"))
print(json.dumps({
    "written": [one for one in places if writes(one)], "networks": [name for _, name in socket.if_nameindex()],
    "capabilities": sorted(set(told.values())), "root": os.getuid() == 0 and os.geteuid() == 0,
    "homes": os.listdir("/home"), "others": [one for one in os.listdir("/proc") if one.isdigit() and int(one) > 1000],
    "variables": sorted(os.environ), "cpus": sorted(os.sched_getaffinity(0)),
}))
"""


@pytest.fixture
def prepared(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ApptainerEnvironment:
    if shutil.which("apptainer") is None:
        pytest.skip("no apptainer here: this Debian has no package of it, see docs/many-machines.md")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    environment = ApptainerEnvironment(make_tiny(tmp_path / TINY), "1.0")
    environment.prepare()
    return environment


def test_a_worker_is_closed_in(
    prepared: ApptainerEnvironment, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apptainer_command, "worker", lambda job: [apptainer_command.PYTHON, "-c", TELL])
    running = ApptainerJob(prepared._program, prepared._image.root, job)
    assert exit_code(running) == 0, job.console.read_text()
    running.stop()
    told = json.loads(job.console.read_text())
    assert set(told.pop("variables")) == {*apptainer_command.variables(job), "JOULEMARK_RUN"}
    assert told == {
        "written": ["/tmp/x"],
        "networks": ["lo"],
        "capabilities": ["0" * 16],
        "root": False,
        "homes": [],
        "others": [],
        "cpus": list(job.cpus),
    }


def test_it_waits_below_an_init_and_nothing_is_left(
    prepared: ApptainerEnvironment, job: Job, desk: Desk
) -> None:
    running = prepared.start(job)
    try:
        await_event(running, desk, "ready")
        worker = psutil.Process(running.pid)
        family = [worker, *worker.parents()[:2]]
        assert [one.pid for one in family if one.cmdline()[1:3] == ["-m", "suite.run"]] == [
            running.worker_pid
        ]
    finally:
        running.stop()
    assert len(family) == 3
    assert not any(one.is_running() for one in family)


def test_what_ignores_its_end_ends_with_its_init(
    prepared: ApptainerEnvironment, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "STOP_TIMEOUT_S", 0.2)
    monkeypatch.setattr(apptainer_command, "worker", lambda job: [apptainer_command.PYTHON, "-c", STUBBORN])
    running = ApptainerJob(prepared._program, prepared._image.root, job)
    while job.console.read_text().count("on") < 2:
        time.sleep(0.01)
    family = psutil.Process(running._process.pid).children(recursive=True)
    assert len(family) == 3
    running.stop()
    psutil.wait_procs(family, timeout=5)
    assert not any(one.is_running() for one in family)
