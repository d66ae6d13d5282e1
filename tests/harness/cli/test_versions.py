"""Several versions of a framework in one campaign, from the command line to the report, with emulated workers."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness import store
from harness.analysis.summary import analyse
from harness.datasets import prepared
from harness.environments.base import Job, RunningJob
from harness.environments.choose import Choice
from harness.environments.frameworks import Framework
from harness.inventory import catalog
from suite.protocol import OUTPUT
from tests.emulators.environment import EmulatedEnvironment
from tests.harness.cli.conftest import Answer

pytestmark = pytest.mark.unhurried

OLDER, NEWER = "tensorflow@2.20.0", "tensorflow@2.21.0"
NAMED = ("-w", "mnist_cnn", "-f", "torch@2.13.0", "-f", OLDER, "-f", NEWER, "-f", NEWER)


VERSIONS = ("2.13.0", "2.20.0", "2.21.0")
loaded: dict[str, bytes] = {}  # run id -> the trained state that the run was given


class Holding(EmulatedEnvironment):
    """Says that it holds the version that it was made for; what it trains bears the version, too."""

    def __init__(self, framework: Framework, version: str) -> None:
        super().__init__("works-briefly")
        self.packages = {framework.package: version}

    def describe(self) -> dict[str, Any]:
        return {"python": "3.11", "packages": self.packages}

    def start(self, job: Job) -> RunningJob:
        if job.state:
            loaded[job.run_id] = job.state.read_bytes()
        running = super().start(job)
        if (pipe := job.worker / OUTPUT).exists():  # larger than the pipe: its reader comes only after this
            state = trained_by(*self.packages.values())
            threading.Thread(target=pipe.write_bytes, args=(state,), daemon=True).start()
        return running


def trained_by(version: str) -> bytes:
    """A state of the workload's arrays, in which every weight tells whose it is."""
    weights = catalog.workload("mnist_cnn").spec.with_dataset("digits").initial_weights(0)
    stream = io.BytesIO()
    np.savez(stream, **{name: np.full_like(one, VERSIONS.index(version)) for name, one in weights.items()})
    return stream.getvalue()


@pytest.fixture(autouse=True)
def emulated(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "none"))
    monkeypatch.setenv("JOULEMARK_LOCK", str(tmp_path / "campaign.lock"))
    monkeypatch.setattr(
        prepared, "train_samples", lambda name: None
    )  # the emulated worker takes none of them
    monkeypatch.setattr(Choice, "environment", lambda _, framework, version: Holding(framework, version))


@pytest.mark.parametrize("kind", ["virtualenv", "docker"])
def test_every_version_runs_in_its_own_environment_and_stays_apart_everywhere(
    suite: Callable[..., Answer], tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "campaign"
    words = ("-s", "train", "-r", 2, "--profile", "quick", "--environment", kind, "-o", folder)
    answer = suite("run", *NAMED, "--no-verify", *words)
    assert answer.code == 0, answer.out + answer.err
    campaign = store.load_campaign(folder)
    for run in campaign.runs:
        treatment = run.record.planned.treatment
        assert list(run.record.environment["packages"].values()) == [treatment.version]
    names = sorted(run.record.planned.run_id.partition("-")[2] for run in campaign.runs)
    models = ("tensorflow-2.20.0", "tensorflow-2.21.0", "torch")
    assert names == sorted(f"mnist_cnn-{one}-train" for one in models * 2)
    assert set(analyse(campaign).counted.groupby("treatment").size()) == {2}
    assert "mnist_cnn tensorflow 2.20.0 train" in answer.out  # the progress
    report = (folder / "report.html").read_text()
    assert all(one in report for one in ("tensorflow 2.20.0", "tensorflow 2.21.0", "torch 2.13.0"))


def test_every_version_infers_from_the_one_state_that_the_first_has_trained(
    suite: Callable[..., Answer], tmp_path: Path
) -> None:
    loaded.clear()
    words = ("-s", "infer", "-r", 1, "--profile", "quick", "--environment", "virtualenv")
    answer = suite("run", *NAMED, "--no-verify", *words, "-o", tmp_path / "campaign")
    assert answer.code == 0, answer.out + answer.err
    assert len(loaded) == 3
    assert set(loaded.values()) == {trained_by("2.20.0")}


def test_a_plan_is_shown_for_a_part_and_its_versions(suite: Callable[..., Answer]) -> None:
    answer = suite("plan", "show", *NAMED, "-s", "infer", "-r", 4)
    assert answer.code == 0
    assert [row.split()[1:3] for row in answer.out.splitlines() if row.startswith("mnist_cnn")] == [
        ["tensorflow", "2.20.0"], ["tensorflow", "2.21.0"], ["torch", "2.13.0"],
    ]  # fmt: skip
    assert "3 treatments x 4 blocks, 13 runs with preparation" in answer.out


def test_plan_and_order_name_what_varies_and_say_the_rest_once(suite: Callable[..., Answer]) -> None:
    words = ("-w", "mnist_cnn", "-f", "jax")
    for answer in (
        suite("plan", "show", "modes", *words),
        suite("run", *words, "--profile", "modes", "--dry-run", "--environment", "virtualenv"),
    ):
        assert answer.code == 0, answer.err
        rows = [line for line in answer.out.splitlines() if " 0.10.2 " in line and "train" in line]
        measured = [row for row in rows if "prepare" not in row]
        assert {row.rstrip().rsplit("  ", 1)[-1] for row in measured} == {"mode jit", "mode scan"}
        assert "device of all: cpu" in answer.out and "data set of all: " in answer.out


def test_the_order_on_a_narrow_screen_names_frameworks_and_versions_in_full(
    suite: Callable[..., Answer],
) -> None:
    answer = suite("run", *NAMED, "-f", "keras-torch", "--dry-run", "--profile", "quick")
    for line in ("tensorflow   2.20.0", "tensorflow   2.21.0", "keras-torch  3.15.1"):
        assert line in answer.out
