"""What all tests share. On CI (CI=true) a skipped test is a failure: everything must have run."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path

import docker
import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from harness import paths
from harness.datasets import prepared, source
from harness.environments.docker import available
from harness.environments.frameworks import framework
from harness.environments.virtualenv import VirtualenvEnvironment
from tests import proofs

ON_CI = os.environ.get("CI") == "true"
TESTS = Path(__file__).parent
SHARED = paths.ROOT.parent / "shared"

skipped: list[str] = []


# Parts of tests/ that measure real times and powers, and compute while they do.
ALONE = (
    "harness/campaign/test_carrying_out.py", "harness/campaign/test_chosen_boundary.py",
    "harness/campaign/test_execution.py", "harness/cluster/real/test_in_containers.py", "bench/test_short.py",
)  # fmt: skip

# Those that measure them and wait: nine tenths of their time no CPU is used. Three of them beside each other.
PATIENT = (
    "harness/campaign/test_steps.py", "harness/meters", "harness/sampling/test_client.py",
    "harness/sampling/test_writing.py",
)  # fmt: skip

# Two of a real Slurm on one host clear away each other's jobs: one worker has them all, one after the other.
SLURM = (
    "harness/cluster/real/test_disk_of_a_node.py", "harness/cluster/real/test_preemption.py",
    "harness/cluster/real/test_what_ends_jobs.py", "harness/cluster/real/test_whole_campaign.py",
)  # fmt: skip

# Those that wait for what happens in time, but mostly wait: three of them beside each other, nothing that computes.
UNDISTURBED = (
    *SLURM, "hostile", "harness/faults", "harness/campaign/test_kill_points.py",
    "harness/environments/test_docker_worker.py", "harness/environments/test_images.py",
)  # fmt: skip

COMPANY = {"alone": ALONE, "patient": PATIENT, "undisturbed": UNDISTURBED}
CROWD = "crowd"

# First, in this order, others fill what is left; what waits has its like beside it, and nothing that computes.
LONGEST = (
    "newmachine", "harness/cli/test_run.py", "suite/test_conformance.py", "mutants",
    *SLURM, "hostile", "harness/faults",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--company", choices=(*COMPANY, CROWD), help="only files of tests that bear this company"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The files of another company are not even read: reading them all takes half a minute."""
    wanted = config.getoption("company")
    elsewhere = wanted and collection_path.suffix == ".py" and _company(collection_path) != wanted
    return True if elsewhere else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: to look for garbage in it, again and again, was a fourth of the CPU time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before marks are chosen by
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if wanted := config.getoption("company"):  # files that are named themselves were read all the same
        config.hook.pytest_deselected(items=[one for one in items if _company(one.path) != wanted])
        items[:] = [one for one in items if _company(one.path) == wanted]
    for item in items:
        if (company := _company(item.path)) != CROWD:
            item.add_marker(company)
    items.sort(key=lambda item: _turn(item.path))


class ByFile(LoadFileScheduling):
    """A file is one worker's; so are all files of a real Slurm together."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "slurm" if file.removeprefix(f"{TESTS.name}/") in SLURM else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile | None:
    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None


def _turn(path: Path) -> int:
    """Of a file that takes long, its place among those; after them that of all others."""
    return next((turn for turn, place in enumerate(LONGEST) if _is_of(path, (place,))), len(LONGEST))


def _company(path: Path) -> str:
    return next((name for name, places in COMPANY.items() if _is_of(path, places)), CROWD)


def _is_of(path: Path, places: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(TESTS / place) for place in places)


def pytest_configure() -> None:
    """A shell starts what runs in the background with SIGINT ignored, and children inherit that.

    What bears company shares the machine with the other worker: each has a lock of its own.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        os.environ["JOULEMARK_LOCK"] = str(Path(tempfile.gettempdir()) / f"joulemark-tests-{worker}.lock")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped:
        skipped.append(report.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file that skips itself as a whole is no test that was skipped: on CI it is an error of its own."""
    report = yield
    if ON_CI and report.skipped:
        report.outcome, report.longrepr = "failed", f"skipped as a whole on CI: {report.longrepr}"
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if ON_CI and skipped:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if ON_CI and skipped:
        terminalreporter.write_line(f"FAILED: {len(skipped)} tests were skipped on CI: {', '.join(skipped)}")


@pytest.fixture(scope="session", autouse=True)
def lock_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Two sessions on one machine do not wait for each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOULEMARK_LOCK", str(tmp_path_factory.mktemp("lock") / "campaign.lock"))
        yield


@cache
def _python(name: str) -> Path:
    one = framework(name)
    environment = VirtualenvEnvironment(one, one.default_version)
    environment.prepare()
    return environment.python


@pytest.fixture(scope="session")
def framework_python() -> Callable[[str], Path]:
    """Name of a framework -> the Python of its virtual environment, made from its lock; not in a test's own home."""
    home = str(paths.home())

    def python(name: str) -> Path:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("JOULEMARK_HOME", home)
            return _python(name)

    return python


@pytest.fixture(scope="session")
def certificate(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of what the chosen tests look at, else of what every CI proves; for all workers of the session."""
    looking = [one for one in request.session.items if "proofs" in getattr(one, "fixturenames", ())]
    asked = [one.callspec.params for one in looking if isinstance(one, pytest.Function)]
    chosen = {(one["workload"], one["framework"], one["kind"]) for one in asked}
    ours = tmp_path_factory.getbasetemp()
    folder = ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours
    return proofs.certificate(folder, chosen or proofs.EACH_CI)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, empty: no data set is prepared, no environment made."""
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the prepared digits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOULEMARK_HOME", str(tmp_path_factory.mktemp("home")))
        return prepared.prepare(source("digits"), Path())


@pytest.fixture(scope="session")
def official_mnist() -> Path:
    """The official files of MNIST, which the project may not ship."""
    folder = SHARED / "data" / "mnist"
    if not folder.is_dir():
        pytest.skip("the official MNIST files are not beside the checkout")
    return folder


@pytest.fixture(scope="session")
def engine() -> docker.DockerClient:
    """A client of the engine; without an engine the test is skipped, except on CI."""
    reason = available()
    if reason is not None and ON_CI:
        pytest.fail(f"CI must have an engine: {reason}")
    if reason is not None:
        pytest.skip(f"no Docker engine to test with: {reason}")
    return docker.from_env()
