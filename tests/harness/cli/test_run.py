"""The main job as a user does it: the program, real frameworks, real environments, real handwriting."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from harness import store
from harness.analysis.tables import measured, tables
from harness.conformance.kept_proofs import PROOFS, Proof, not_covered, of_campaign
from harness.environments import process_mark, sandbox
from harness.environments.frameworks import framework
from harness.environments.process import MARK
from harness.inventory import catalog
from harness.records import Outcome
from tests import proofs
from tests.rotation import rotating

SUITE = [sys.executable, "-m", "harness.cli"]
FRAMEWORKS = {"torch", "tensorflow", "keras", "jax", "sklearn"}

Home = Callable[[], Path]
ROUNDING = 1e-4  # of a quality that is no share of right answers, as a perplexity


def suite(*words: object, timeout_s: float = 1200) -> subprocess.CompletedProcess[str]:
    command = [*SUITE, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)


EVERYTHING = ("--all",)
FIT = "svm"  # of scikit-learn; the others take minutes together, so in every CI two of them, by turns
UNPROVEN = {*catalog.workloads()} - {*proofs.WORKLOADS, FIT}  # nobody has to make a proof for it
NETWORK, *OTHERS = proofs.IN_FULL  # one that has every framework, whatever else
SHARE = (FIT, NETWORK, *rotating({*OTHERS, *UNPROVEN}, 1))
TRAINING = ("-s", "train", *(word for name in SHARE for word in ("-w", name)))
PART = ("-w", "mnist_mlp", "-w", "svm")  # where the environment is the subject: one network, one fit
# Images whose build takes minutes take turns.
BUILT = {"torch", "jax", "sklearn", *rotating(("keras", "tensorflow"), 1)}
IN_TURN = (*PART, *(word for name in sorted(BUILT) for word in ("-f", name)))


@pytest.mark.frameworks
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    ("environment", "chosen", "frameworks"),
    [
        ("virtualenv", TRAINING, FRAMEWORKS),
        pytest.param("docker", IN_TURN, BUILT, marks=pytest.mark.engine),
        pytest.param("docker", PART, FRAMEWORKS, marks=[pytest.mark.engine, pytest.mark.slow]),
        pytest.param("virtualenv", EVERYTHING, FRAMEWORKS, marks=pytest.mark.slow),
    ],
)
def test_everything_runs_and_learns(
    environment: str,
    chosen: tuple[str, ...],
    frameworks: set[str],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    shared_home: Path,
) -> None:
    if environment == "docker":
        request.getfixturevalue("engine")
        given: tuple[Proof, ...] = ()
    else:
        certificate = shutil.copy(request.getfixturevalue("certificate"), shared_home)
        given = PROOFS.validate_json(Path(certificate).read_bytes())
    folder = tmp_path / "campaign"
    words = ("run", *chosen, "--profile", "quick", "-r", 1, "--environment", environment, "-o", folder)
    done = suite(*words, timeout_s=2700)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"report: {folder / 'report.html'}" in done.stdout
    campaign = store.load_campaign(folder)
    treatments = [planned.treatment for planned in campaign.order]
    assert not_covered(treatments, of_campaign(folder)) == {}
    assert ("proving" in done.stdout + done.stderr) is bool(not_covered(treatments, given))
    assert campaign.record.isolation == environment
    runs = tables(campaign).runs
    assert set(runs["outcome"]) == {Outcome.OK}
    assert set(runs["framework"]) == frameworks
    assert set(runs["isolation"]) == {environment}
    for run in runs.itertuples():
        spec = catalog.workload(run.workload).spec
        floor = spec.quality_floor[run.dataset]
        assert not spec.metrics[0].is_better(floor, run.quality), (run.workload, run.framework)
    assert runs[["duration_s", "energy_j", "memory_peak_bytes", "cpu_s"]].gt(0).all(axis=None)
    assert f"complete, {len(runs)} of {len(runs)} runs done" in suite("status", folder).stdout
    infer = runs[(runs["stage"] == "infer") & (runs["framework"] != "sklearn")]
    apart = infer.groupby("workload")["quality"].agg(lambda found: np.ptp(found) / found.mean())
    assert (apart < ROUNDING).all(), apart  # the same weights: the same answers
    check_export(folder, len(runs))
    check_console(folder)
    report = (folder / "report.html").read_text()
    assert environment in report
    if environment == "docker":
        ids = {run.record.environment["image_id"] for run in campaign.runs}
        assert len(ids) == len(frameworks)
        assert all(image_id in report for image_id in ids)


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


@pytest.mark.frameworks
@pytest.mark.parametrize("environment", ["virtualenv", pytest.param("docker", marks=pytest.mark.engine)])
def test_two_versions_of_a_framework_run_side_by_side(
    environment: str, request: pytest.FixtureRequest, tmp_path: Path, shared_home: Path
) -> None:
    if environment == "docker":
        request.getfixturevalue("engine")
    folder, (newer, older, *_) = tmp_path / "campaign", framework("sklearn").versions
    named = ("-w", "svm", "-f", f"sklearn@{newer}", "-f", f"sklearn@{older}", "-s", "train")
    done = suite("run", *named, "--profile", "quick", "-r", 1, "--environment", environment, "-o", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    for run in store.load_campaign(folder).runs:
        version = run.record.planned.treatment.version
        assert run.record.environment["packages"]["scikit-learn"] == version
        assert f"sklearn-{version}-train" in run.record.planned.run_id
    assert set(tables(store.load_campaign(folder)).runs["version"]) == {newer, older}
    report = (folder / "report.html").read_text()
    assert f"sklearn {newer}" in report
    assert f"sklearn {older}" in report


TWO_MODES = """
repetitions = 1
sample_period_s = 0.1
baseline_s = 1.0
run_timeout_s = 300.0
expected_run_s = 10.0

[factors]
workload = ["mnist_mlp"]
framework = ["torch"]
stage = ["train"]
dataset = ["digits"]

[settings]
mode = ["eager", "compile"]

[power_model]
idle_w = 10.0
busy_cpu_w = 8.0
"""


@pytest.mark.frameworks
@pytest.mark.engine
def test_pytorch_compiles_inside_its_container(engine: object, tmp_path: Path, shared_home: Path) -> None:
    """With the base's compiler, into memory from which no other run may execute anything."""
    plan = tmp_path / "two_modes.toml"
    plan.write_text(TWO_MODES)
    words = ("--all", "--profile", plan, "--environment", "docker", "--no-verify")
    done = suite("run", *words, "-o", tmp_path / "campaign")
    assert done.returncode == 0, done.stdout + done.stderr
    runs = tables(store.load_campaign(tmp_path / "campaign")).runs
    assert set(runs["outcome"]) == {Outcome.OK}
    learnt = runs.dropna(subset="quality").itertuples()
    quality = {json.loads(one.settings)["mode"]: one.quality for one in learnt}
    assert quality["compile"] == pytest.approx(quality["eager"], abs=ROUNDING)
    looked_into = suite("images", "verify", "torch")  # the compiler is the base's
    assert looked_into.returncode == 0, looked_into.stdout + looked_into.stderr


@pytest.mark.frameworks
def test_machines_read_one_json_object_a_line(tmp_path: Path, shared_home: Path) -> None:
    folder = tmp_path / "campaign"
    plan = ("-w", "svm", "-s", "train", "--profile", "quick", "-r", 1, "--environment", "virtualenv")
    done = suite("run", *plan, "--log-format", "json", "-o", folder)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    steps = {"campaign", "run-started", "run-finished", "end"}
    assert [one["event"] for one in records if one["event"] in steps] == [
        "campaign", "run-started", "run-finished", "end",
    ]  # fmt: skip
    assert {one["event"] for one in records} - steps <= {"phase", "power", "waiting", "finding"}
    started, finished = (
        next(r for r in records if r["event"] == f"run-{what}") for what in ("started", "finished")
    )
    assert (started["framework"], started["stage"]) == ("sklearn", "train")
    assert (finished["run"], finished["outcome"]) == (started["run"], "ok")
    assert "report:" in done.stderr


@pytest.mark.frameworks
def test_a_campaign_that_was_killed_goes_on_and_holds_the_machine_meanwhile(
    tmp_path: Path, shared_home: Path, no_leftovers: None
) -> None:
    folder = tmp_path / "campaign"
    plan = ("-w", "svm", "-s", "train", "--profile", "quick", "-r", 4, "--environment", "virtualenv")
    log = (tmp_path / "out").open("w")
    command = [*SUITE, "run", *map(str, plan), "-o", str(folder)]
    running = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    wait_for(lambda: any(folder.glob("runs/*/run.json")) or running.poll() is not None)
    second = suite("run", *plan, "-o", tmp_path / "second")
    assert (second.returncode, second.stderr.count("\n")) == (2, 1)
    assert f"{folder} is under way (process {running.pid})" in second.stderr
    assert not (tmp_path / "second").exists()
    running.kill()
    running.wait()
    first = {run.record.planned.run_id: run.record.started for run in store.load_campaign(folder).runs}
    assert 1 <= len(first) < 4

    refused = suite("run", "--resume", folder, "-f", "sklearn")
    assert (refused.returncode, "leave out" in refused.stderr) == (2, True)
    _refuses_other_data(folder)
    resumed = suite("run", "--resume", folder)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    campaign = store.load_campaign(folder)
    assert [run.record.planned for run in campaign.runs] == list(campaign.record.order)
    assert first.items() <= {run.record.planned.run_id: run.record.started for run in campaign.runs}.items()
    assert (folder / "report.html").exists()


def _refuses_other_data(folder: Path) -> None:
    record = (folder / store.CAMPAIGN_FILE).read_text()
    ((name, sha256),) = store.load_campaign(folder).record.datasets.items()
    (folder / store.CAMPAIGN_FILE).write_text(record.replace(sha256, "0" * 64))
    refused = suite("run", "--resume", folder)
    assert (refused.returncode, f"the data of {name} changed since" in refused.stderr) == (2, True)
    (folder / store.CAMPAIGN_FILE).write_text(record)


@pytest.fixture
def no_leftovers(tmp_path: Path) -> Iterator[None]:
    """No worker of this test outlives it; those of other sessions are none of ours."""
    yield
    left = []
    for process in psutil.process_iter():
        try:
            ours = MARK in process.environ() and Path(process.cwd()).is_relative_to(tmp_path)
        except psutil.Error:
            continue
        left += [process] if ours else []
    assert left == []


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
        "-w",
        "mnist_cnn",
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
    mark = process_mark.of(running.pid)
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
        mine = {"label": f"{sandbox.HARNESS_LABEL}={mark}"}
        assert engine.containers.list(all=True, filters=mine, ignore_removed=True) == []


@pytest.mark.frameworks
def test_an_interpreter_of_the_users_is_recorded_and_said_so(
    framework_python: Callable[[str], Path], tmp_path: Path, shared_home: Path
) -> None:
    folder = tmp_path / "campaign"
    python = framework_python("sklearn")
    words = (
        "run",
        "-w",
        "random_forest",
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
        assert "unpinned-environment" in [finding.code for finding in run.record.findings]


@pytest.mark.frameworks
def test_without_an_engine_virtual_environments_are_used_and_it_is_said(
    tmp_path: Path, shared_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    folder = tmp_path / "campaign"
    done = suite("run", "-w", "svm", "--profile", "quick", "-r", 1, "-o", folder)
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
    runs = measured(tables(store.load_campaign(folder)).runs)  # without warm-up and control
    print(runs[["framework", "dataset", "duration_s", "quality"]].to_string())
    assert set(runs["dataset"]) == {"mnist"}
    assert set(runs["framework"]) == FRAMEWORKS - {"sklearn"}
    assert (runs["quality"] >= 0.985).all()
    assert (runs["samples"] == 3 * (60_000 // 128) * 128).all()
