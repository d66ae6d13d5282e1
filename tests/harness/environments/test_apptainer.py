"""A run by Apptainer from its image to its end, with a stand-in for the program that really starts what it is told."""

from __future__ import annotations

import os
import signal
import time
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from harness import paths
from harness.environments import apptainer_command, process, process_mark
from harness.environments.apptainer import ApptainerEnvironment
from harness.environments.apptainer_job import ApptainerJob
from harness.environments.base import Job
from harness.environments.frameworks import Framework
from harness.environments.process import HOME_PREFIX
from harness.errors import MissingPrerequisite
from tests.desk import Desk
from tests.emulators import apptainer
from tests.harness.environments.containers import STUBBORN, await_event, exit_code
from tests.harness.environments.tiny_image import TINY, WHEEL, make_tiny

pytestmark = pytest.mark.unhurried


@pytest.fixture
def stand_in(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    """A machine whose apptainer is the stand-in, and settings of the user's that must not come through."""
    tiny = make_tiny(tmp_path / TINY)
    venv.create(tmp_path / "held", symlinks=True)
    (site,) = (tmp_path / "held").glob("lib/*/site-packages")
    with zipfile.ZipFile(paths.wheels_home() / WHEEL) as wheel:
        wheel.extractall(site)
    programs = apptainer.install(tmp_path / "bin", tmp_path / "held")
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("APPTAINERENV_LEAKED", "yes")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return tiny


@pytest.fixture
def prepared(stand_in: Framework) -> ApptainerEnvironment:
    environment = ApptainerEnvironment(stand_in, "1.0")
    environment.prepare()
    return environment


def of_this_test(prefix: str) -> list[Path]:
    mark = process_mark.own().replace(":", "-")
    return list(Path(os.environ.get("TMPDIR", "/tmp")).glob(f"{prefix}{mark}-*"))


def test_an_image_is_made_once_and_told_by_its_ingredients(prepared: ApptainerEnvironment) -> None:
    (folder,) = paths.environments_home().glob("*-apptainer-*/")
    made = folder.stat().st_mtime_ns
    again = ApptainerEnvironment(prepared._framework, "1.0")
    again.prepare()
    assert folder.stat().st_mtime_ns == made
    told = again.describe()
    assert told["packages"]["joulemark-tiny"] == "1.0"
    assert told["apptainer"] == "1.0-stand-in"
    assert folder.name.endswith(told["definition_sha256"][:12])
    assert told["labels"]["org.joulemark.lock-sha256"] == told["lock_sha256"]
    assert told["not_isolated"] == list(apptainer_command.NOT_GIVEN)


def test_the_worker_is_found_below_its_init_and_nothing_is_left_of_it(
    prepared: ApptainerEnvironment, job: Job, desk: Desk
) -> None:
    running = prepared.start(job)
    try:
        ready = await_event(running, desk, "ready")
        assert ready.t_ns < time.monotonic_ns()
        worker = psutil.Process(running.worker_pid)
        assert worker.cmdline()[1:3] == ["-m", "suite.run"]
        assert running.pid == worker.pid  # what stands above it is not measured
        assert worker.cpu_affinity() == list(job.cpus)
        assert of_this_test(HOME_PREFIX)
        family = [worker, *worker.parents()[:2]]
        assert "apptainer" in " ".join(family[-1].cmdline())
    finally:
        running.stop()
    assert not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in family)
    assert of_this_test(HOME_PREFIX) == []
    assert prepared.describe()["variables"]["OMP_NUM_THREADS"] == str(len(job.cpus))


@pytest.fixture
def doing(
    prepared: ApptainerEnvironment, job: Job, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], ApptainerJob]:
    """A worker that does something else than work."""

    def started(source: str) -> ApptainerJob:
        monkeypatch.setattr(apptainer_command, "worker", lambda job: [apptainer_command.PYTHON, "-c", source])
        return ApptainerJob(prepared._program, prepared._image.root, job)

    return started


def test_what_ignores_its_end_hides_its_mark_and_leaves_its_group_ends_with_it(
    doing: Callable[[str], ApptainerJob], job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "STOP_TIMEOUT_S", 0.2)
    running = doing(STUBBORN)
    while job.console.read_text().count("on") < 2:
        time.sleep(0.01)
    family = psutil.Process(running._process.pid).children(recursive=True)
    assert len(family) == 3
    running.stop()
    running.stop()
    psutil.wait_procs(family, timeout=5)  # the kernel's own time to end them
    assert not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in family)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_signal_is_told_by_its_name(doing: Callable[[str], ApptainerJob], number: signal.Signals) -> None:
    running = doing(f"import os; os.kill(os.getpid(), {int(number)})")
    try:
        assert exit_code(running) == 128 + number
        told = running.failure() or ""
        assert told.startswith(f"ended by {number.name} (out of memory? a run may have ")
    finally:
        running.stop()


def test_an_exit_code_of_its_own_is_no_signal(doing: Callable[[str], ApptainerJob]) -> None:
    running = doing("import sys; sys.exit(3)")
    try:
        assert exit_code(running) == 3
        assert running.failure() is None
    finally:
        running.stop()


def test_an_image_that_lost_a_package_is_refused_with_the_remedy(prepared: ApptainerEnvironment) -> None:
    (module,) = (prepared._image.root / "opt/venv").glob(
        "lib/*/site-packages/joulemark_tiny-1.0.dist-info/METADATA"
    )
    module.write_text("Metadata-Version: 2.1\nName: joulemark-tiny\nVersion: 2.0\n")
    with pytest.raises(
        MissingPrerequisite, match=r"does not hold what its lock says \(joulemark-tiny\): remove it"
    ):
        prepared.prepare()
