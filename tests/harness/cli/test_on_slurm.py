"""suite run --executor slurm where it cannot be: one line with the remedy, and nothing half-written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.campaigns import Recipe, build

SMALL = ("run", "-w", "svm", "-f", "sklearn", "-s", "train", "--environment", "virtualenv")


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Slurm; the folder of a campaign there."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "campaign"


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Path]:
    """A machine whose sinfo, as given, is all that answers; the folder of a campaign there."""

    def made(sinfo: str) -> Path:
        (tmp_path / "bin").mkdir()
        for name in ("sbatch", "srun", "squeue", "scancel", "sinfo"):
            program = tmp_path / "bin" / name
            program.write_text("#!/bin/sh\n" + (sinfo if name == "sinfo" else "exit 0\n"))
            program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        return tmp_path / "campaign"

    return made


def test_without_slurm_the_remedy_is_said(refused: Callable[..., str], nowhere: Path) -> None:
    told = refused(*SMALL, "--executor", "slurm", "-o", nowhere)
    assert "needs Slurm, and sbatch is not here: run it where sbatch works, or leave it out" in told
    assert not nowhere.exists()


def test_a_slurm_that_does_not_answer_is_told(
    refused: Callable[..., str], answering: Callable[[str], Path]
) -> None:
    folder = answering("echo 'slurm_load_partitions: Unable to contact slurm controller' >&2; exit 1\n")
    assert "Slurm does not answer (slurm_load_partitions" in refused(
        *SMALL, "--executor", "slurm", "-o", folder
    )
    assert not folder.exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [("partition", "gpu"), ("gres", "gpu:1"), ("nodes", "2"), ("time", "1:00"), ("constraint", "a"), ("account", "b"),
     ("qos", "c")],
)  # fmt: skip
def test_what_slurm_is_told_needs_slurm(
    refused: Callable[..., str], nowhere: Path, option: str, value: str
) -> None:
    told = refused(*SMALL, f"--{option}", value, "-o", nowhere)
    assert f"--{option} goes with --executor slurm" in told
    assert not nowhere.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--until", "2%"),
        ("--profile-runs", "1"),
        ("--fail-fast",),
        ("--anonymous",),
        ("--require", "rapl"),
        ("--allow-stale",),
        ("--log-format", "json"),
    ],
)
def test_what_is_of_one_machine_does_not_go_with_it(
    refused: Callable[..., str], nowhere: Path, words: tuple[str, ...]
) -> None:
    told = refused(*SMALL, *words, "--executor", "slurm", "-o", nowhere)
    assert words[0] in told
    assert "does not go with --executor slurm" in told
    assert not nowhere.exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [("time", "soon"), ("time", "0"), ("partition", "a b"), ("gres", "gpu\n#SBATCH --x"), ("nodes", "0")],
)
def test_a_wrong_value_is_refused(
    refused: Callable[..., str], nowhere: Path, option: str, value: str
) -> None:
    told = refused(*SMALL, "--executor", "slurm", f"--{option}", value, "-o", nowhere)
    assert f"--{option}" in told
    assert not nowhere.exists()


def test_a_campaign_of_one_machine_does_not_go_on_on_slurm(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=1)).folder
    assert "one machine" in refused("run", "--resume", folder, "--executor", "slurm")


def test_an_interpreter_that_a_record_names_is_not_run_unasked(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=1)).folder
    asked = {
        "format_version": 1, "options": {"nodes": 1, "minutes": 5}, "isolation": "interpreter", "device": "cpu",
        "interpreter": "/evil/python",
    }  # fmt: skip
    (folder / "cluster").mkdir()
    (folder / "cluster" / "asked.json").write_text(json.dumps(asked))
    assert "if you trust it, add --environment interpreter=/evil/python" in refused("run", "--resume", folder)


def test_a_run_of_another_campaign_is_refused_before_any_job_is_submitted(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    """It passed for done, and the campaign was refused when all of its jobs had ended."""
    here, there = (build(tmp_path / name, Recipe(blocks=1, identity=name * 32)).folder for name in ("a", "b"))
    (here / "cluster").mkdir()
    asked = {
        "format_version": 1, "options": {"nodes": 1, "minutes": 5}, "isolation": "virtualenv", "device": "cpu",
    }  # fmt: skip
    (here / "cluster" / "asked.json").write_text(json.dumps(asked))
    run = next((here / "runs").iterdir()).name
    shutil.rmtree(here / "runs" / run)
    shutil.copytree(there / "runs" / run, here / "runs" / run)
    assert f"run {run} was made by another campaign" in refused("run", "--resume", here)
