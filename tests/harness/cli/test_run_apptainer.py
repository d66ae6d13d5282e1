"""A whole campaign by Apptainer's environment, with a stand-in for the program: the way of each run is the real one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import paths, store
from harness.environments.frameworks import framework
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.records import Outcome
from tests.emulators import apptainer
from tests.harness.cli.conftest import Answer

SMALL = ("run", "-w", "svm", "-f", "sklearn", "-s", "train", "--profile", "quick", "-r", 1)


@pytest.mark.frameworks
def test_a_campaign_runs_and_tells_what_ran(
    suite: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sklearn = framework("sklearn")
    held = VirtualenvEnvironment(sklearn, sklearn.default_version)
    held.prepare()
    programs = apptainer.install(tmp_path / "bin", held.python.parent.parent)
    (tmp_path / "home").mkdir()  # with wheels alone: a stand-in's image must not lie where real ones do
    (tmp_path / "home" / "wheels").symlink_to(paths.wheels_home())
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    done = suite(*SMALL, "--environment", "apptainer", "--no-verify", "-o", tmp_path / "campaign")
    assert done.code == 0, done.err
    campaign = store.load_campaign(tmp_path / "campaign")
    assert campaign.record.isolation == "apptainer"
    assert [one.record.outcome for one in campaign.runs] == [Outcome.OK] * len(campaign.runs)
    told = campaign.runs[-1].record.environment
    assert told["apptainer"] == "1.0-stand-in"
    assert told["labels"]["org.joulemark.lock-sha256"] == told["lock_sha256"]
    page = (tmp_path / "campaign" / "report.html").read_text()
    assert "each in its own Apptainer image, without root and without a network" in page


def test_without_apptainer_the_remedy_is_said_in_one_line(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    told = refused(*SMALL, "--environment", "apptainer", "-o", tmp_path / "campaign")
    assert "no apptainer is found: load the site's module" in told
    assert not (tmp_path / "campaign").exists()
