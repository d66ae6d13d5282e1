"""Bad input gets one clear line, exit code 2, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.datasets import prepared, source
from tests.small_disks import small_disk

Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working directory, which must stay empty."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    yield work
    assert list(work.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["run"], "say what to run: --all"),
        (["run", "-w", "mnist_cn"], "unknown workload 'mnist_cn'; did you mean 'mnist_cnn'?"),
        (["run", "-f", "pytorch"], "unknown framework 'pytorch'; did you mean 'torch'?"),
        (["run", "-f", "torch@latest"], "unknown version of torch 'latest' (known: 2."),
        (["run", "-w", "svm", "-f", "jax@0.1"], "unknown version of jax '0.1'"),  # said before what svm lacks
        (["run", "-f", "tensorflow@2.20"], "did you mean '2.20.0'? (known: 2."),
        (["run", "-f", "torch@"], "torch@ names no version; offered: 2."),
        (["plan", "show", "-f", "torch@latest"], "unknown version of torch 'latest'"),
        (["run", "--all", "-r", "0"], "0 is not in the range x>=1"),
        (["run", "--all", "-r", "1000000000"], "the 100000 runs of a campaign: fewer blocks with -r"),
        (["run", "--all", "-r", "1000000000", "--until", "2%"], "the 100000 runs of a campaign"),
        (["run", "--all", "--seed", "-1"], "-1 is not in the range 0<=x<="),
        (["run", "--all", "-r", "many"], "'many' is no whole number"),
        (["run", "--all", "-s", "predict"], "unknown stage 'predict' (known: train, infer"),
        (["run", "--all", "--profile", "quik"], "unknown profile 'quik'; did you mean 'quick'?"),
        (["run", "--all", "--environment", "podman"], "unknown environment 'podman'"),
        (["run", "--all", "--environment", "interpreter"], "name the interpreter"),
        (["run", "-f", "torch", "--environment", "interpreter=/no/python"], "no interpreter /no/python"),
        (["run", "--all", "--require", "rappl"], "unknown requirement 'rappl'; did you mean 'rapl'?"),
        (
            ["run", "--all", "--dry-run", "--require", "rappl"],
            "unknown requirement 'rappl'; did you mean 'rapl'?",
        ),
        (["run", "--all", "--require", "gpu"], "gpu is required: device cuda"),
        (
            ["run", "-w", "svm", "-f", "torch"],
            "no workload has an implementation for the combination svm + torch",
        ),
        (["plan", "show", "standart"], "unknown profile 'standart'; did you mean 'standard'?"),
        (["data", "fetch", "minst"], "unknown data set 'minst'; did you mean 'mnist'?"),
        (["data", "verify", "mnist"], "mnist is not prepared: suite data fetch mnist"),
        (["report", "/tmp"], "/tmp is not a campaign: it has no campaign.json"),
        (["status", "/nowhere"], "/nowhere does not exist (suite run writes campaigns)"),
        (["export", "/tmp"], "/tmp is not a campaign"),
        (["export", "/tmp", "--format", "xls"], "'xls' is not"),
        (["rum"], "unknown command 'rum'; did you mean 'run'?"),
        (["run", "--al"], "No such option"),
    ],
)
def test_one_line_names_the_cause(refused: Refused, words: list[str], line: str) -> None:
    assert line in refused(*words)


def test_a_folder_that_holds_something_is_not_a_campaigns(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").write_text("years of work")
    assert "exists already and is not empty" in refused(
        "run", "--all", "--profile", "quick", "-o", tmp_path / "taken"
    )
    assert [file.name for file in (tmp_path / "taken").iterdir()] == ["thesis.tex"]


def test_missing_rapl_is_refused_where_it_is_required(
    refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path))
    assert "rapl is required" in refused("run", "--all", "--require", "rapl")


def test_missing_docker_is_refused_where_it_is_required(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    assert "docker is required" in refused("run", "--all", "--require", "docker")
    assert "engine" in refused("run", "-f", "torch", "--profile", "quick", "--environment", "docker")


def test_data_that_is_not_there_is_refused_where_it_is_required(refused: Refused) -> None:
    line = refused("run", "--all", "--profile", "standard", "--require", "data")
    assert "suite data fetch cifar10" in line  # of the first workload


def test_a_damaged_data_file_is_named_with_its_checksum(refused: Refused, tmp_path: Path) -> None:
    place = prepared.prepare(source("digits"), Path())
    (place / "test_x.npy").write_bytes(b"cut")
    words = (
        "run",
        "-f",
        "torch",
        "--profile",
        "quick",
        "--environment",
        "virtualenv",
        "-o",
        tmp_path / "new",
    )
    line = refused(*words)
    assert str(place / "test_x.npy") in line
    assert "sha256" in line
    assert not (tmp_path / "new").exists()


def test_a_framework_environment_that_cannot_be_made_is_refused(
    refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PIP_NO_INDEX", "PIP_ISOLATED"):
        monkeypatch.setenv(name, "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    prepared.prepare(source("digits"), Path())
    line = refused(
        "run", "-f", "jax", "--profile", "quick", "--environment", "virtualenv", "-o", tmp_path / "new"
    )
    assert "the wheels of JAX 0.10.2 cannot be had" in line
    assert not (tmp_path / "new").exists()


def test_an_interpreter_without_the_framework_is_refused(refused: Refused) -> None:
    import sys

    line = refused("run", "-f", "torch", "--environment", f"interpreter={sys.executable}")
    assert "holds no torch" in line


def test_a_version_that_the_interpreter_does_not_hold_is_refused(refused: Refused, tmp_path: Path) -> None:
    python = interpreter_with(tmp_path / "python", "torch", "2.12.0+cpu")
    both = ("run", "-f", "torch@2.12.0", "-f", "torch@2.13.0", "--environment", f"interpreter={python}")
    assert f"{python} holds torch 2.12.0, not 2.13.0" in refused(*both)


def interpreter_with(path: Path, package: str, version: str) -> Path:
    """Answers the probe as a Python would that holds this package."""
    answer = json.dumps({"python": "3.11.9", "packages": {package: version}})
    path.write_text(f"#!/bin/sh\necho '{answer}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 8 MiB."""
    with small_disk(tmp_path / "disk", "8m") as place:
        yield place


def test_a_full_disk_is_refused_before_anything_is_written(
    refused: Refused, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = refused("run", "--all", "--profile", "quick", "-o", disk / "campaign")
    assert "MiB free" in line
    assert list(disk.iterdir()) == []
