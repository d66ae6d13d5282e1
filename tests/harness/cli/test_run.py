"""The main job as a user does it: the program, real frameworks, real environments, real handwriting."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from harness import paths, store
from harness.analysis.tables import tables
from harness.environments.process import MARK
from harness.records import Outcome

SUITE = [sys.executable, "-m", "harness.cli"]
FRAMEWORKS = {"torch", "tensorflow", "keras", "jax", "sklearn"}

Home = Callable[[], Path]


@pytest.fixture
def shared_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with data sets of its own, but with the environments and wheels that are at hand already."""
    home = tmp_path / "home"
    home.mkdir()
    for place in (paths.environments_home(), paths.wheels_home()):
        place.mkdir(parents=True, exist_ok=True)
        (home / place.name).symlink_to(place)
    monkeypatch.setenv("JOULEMARK_HOME", str(home))
    return home


def suite(*words: object, timeout_s: float = 1200) -> subprocess.CompletedProcess[str]:
    command = [*SUITE, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)


@pytest.mark.frameworks
@pytest.mark.parametrize("environment", ["virtualenv", pytest.param("docker", marks=pytest.mark.engine)])
def test_everything_runs_and_learns(
    environment: str, request: pytest.FixtureRequest, tmp_path: Path, shared_home: Path
) -> None:
    if environment == "docker":
        request.getfixturevalue("engine")
    folder = tmp_path / "campaign"
    words = ("run", "--all", "--profile", "quick", "-r", 1, "--environment", environment, "-o", folder)
    done = suite(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"report: {folder / 'report.html'}" in done.stdout
    campaign = store.load_campaign(folder)
    assert campaign.record.isolation == environment
    runs = tables(campaign).runs
    assert set(runs["outcome"]) == {Outcome.OK}
    assert set(runs["framework"]) == FRAMEWORKS
    assert set(runs["isolation"]) == {environment}
    assert (runs["quality"] >= 0.97).all()
    assert runs[["duration_s", "energy_j", "memory_peak_bytes", "cpu_s"]].gt(0).all(axis=None)
    assert f"complete, {len(runs)} of {len(runs)} runs done" in suite("status", folder).stdout
    infer = runs[(runs["workload"] == "mnist_cnn") & (runs["stage"] == "infer")]
    assert infer["quality"].nunique() == 1  # the same weights: the same answers
    check_export(folder, len(runs))
    check_console(folder)


def check_export(folder: Path, runs: int) -> None:
    assert suite("export", folder, "--format", "csv").returncode == 0
    rows = list(csv.DictReader((folder / "runs.csv").open()))
    assert len(rows) == runs
    wanted = "campaign block workload framework version stage outcome duration_s energy_j provenance"
    assert set(rows[0]) >= {*wanted.split(), "memory_peak_bytes", "quality_metric", "quality"}
    assert {row["provenance"] for row in rows} == {"estimated"} or Path(
        "/sys/class/powercap/intel-rapl:0"
    ).exists()


def check_console(folder: Path) -> None:
    """Nothing is printed inside that is not meant for the log."""
    for log in folder.glob("runs/*/console.log"):
        assert "Traceback" not in log.read_text()


@pytest.fixture
def no_leftovers() -> Iterator[None]:
    yield
    marked = []
    for process in psutil.process_iter():
        try:
            marked += [process] if MARK in process.environ() else []
        except psutil.Error:
            continue
    assert marked == []


def wait_for(condition: Callable[[], bool], timeout_s: float = 300) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.frameworks
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("environment", ["virtualenv", pytest.param("docker", marks=pytest.mark.engine)])
def test_an_interrupt_leaves_no_process_and_a_readable_campaign(
    environment: str,
    number: signal.Signals,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    shared_home: Path,
    no_leftovers: None,
) -> None:
    engine = request.getfixturevalue("engine") if environment == "docker" else None
    folder = tmp_path / "campaign"
    words = (
        "run",
        "-f",
        "jax",
        "-s",
        "train",
        "--profile",
        "quick",
        "--environment",
        environment,
        "-o",
        folder,
    )
    log = (tmp_path / "out").open("w")
    running = subprocess.Popen([*SUITE, *map(str, words)], stdout=log, stderr=log, start_new_session=True)
    training = folder / store.UNFINISHED
    wait_for(
        lambda: (
            any('"train"' in f.read_text() for f in training.glob("*/events.jsonl"))
            or running.poll() is not None
        )
    )
    os.kill(running.pid, number)
    assert running.wait(60) == 130, (tmp_path / "out").read_text()
    assert "Traceback" not in (tmp_path / "out").read_text()
    status = suite("status", folder)
    assert status.returncode == 0
    assert "interrupted, 0 of 3 runs done" in status.stdout
    if engine is not None:
        assert engine.containers.list(all=True, filters={"label": "org.joulemark.run"}) == []


@pytest.mark.frameworks
def test_an_interpreter_of_the_users_is_recorded_and_said_so(
    framework_python: Callable[[str], Path], tmp_path: Path, shared_home: Path
) -> None:
    folder = tmp_path / "campaign"
    python = framework_python("sklearn")
    words = (
        "run",
        "--all",
        "--profile",
        "quick",
        "-r",
        1,
        "--environment",
        f"interpreter={python}",
        "-o",
        folder,
    )
    done = suite(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    for run in store.load_campaign(folder).runs:
        assert run.record.isolation == "interpreter"
        assert run.record.environment["packages"]["scikit-learn"] == "1.9.1"
        assert [finding.code for finding in run.record.findings] == ["unpinned-environment"]


@pytest.mark.frameworks
def test_without_an_engine_virtual_environments_are_used_and_it_is_said(
    tmp_path: Path, shared_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    folder = tmp_path / "campaign"
    done = suite("run", "-w", "svm", "--profile", "quick", "-r", 2, "-o", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "note: no containers" in done.stdout
    assert store.load_campaign(folder).record.isolation == "virtualenv"
    assert "virtualenv" in (folder / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.frameworks
def test_the_cnns_learn_mnist_in_three_epochs(
    official_mnist: Path, tmp_path: Path, shared_home: Path
) -> None:
    assert suite("data", "import", "mnist", official_mnist).returncode == 0
    folder = tmp_path / "campaign"
    words = ("run", "-w", "mnist_cnn", "-s", "train", "-r", 1, "--environment", "virtualenv", "-o", folder)
    done = suite(*words, timeout_s=3600)
    assert done.returncode == 0, done.stdout + done.stderr
    runs = tables(store.load_campaign(folder)).runs
    print(runs[["framework", "dataset", "duration_s", "quality"]].to_string())
    assert set(runs["dataset"]) == {"mnist"}
    assert set(runs["framework"]) == FRAMEWORKS - {"sklearn"}
    assert (runs["quality"] >= 0.985).all()
    assert (runs["samples"] == 3 * (60_000 // 128) * 128).all()
