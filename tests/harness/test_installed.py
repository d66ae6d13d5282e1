"""The wheel alone, in an environment of its own and outside of any checkout, runs a campaign to its report."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from harness import paths, version

PARTS = (
    "suite",
    "harness",
    "reports",
    "images",
    "compose",
    "pyproject.toml",
    "setup.py",
    "README.md",
    "LICENSE",
)


def commit(folder: Path) -> str:
    """Of all that lies there, as its only one."""
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(folder)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *words], check=True)
    return version.commit_of(folder)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel, and the tests' libraries only behind what it has itself."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for part in (paths.ROOT / name for name in PARTS):
        if part.is_dir():
            shutil.copytree(part, source / part.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(part, source)
    commit(source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    without = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "wheel", *without, "-w", folder, source], check=True)
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    python, (wheel,) = folder / "venv/bin/python", folder.glob("*.whl")
    subprocess.run([*pip, "--python", python, "install", "--no-deps", "--no-index", wheel], check=True)
    (own,) = folder.glob("venv/lib/*/site-packages")
    (own / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "venv"


def suite(installed: Path, folder: Path, *words: str) -> str:
    """What it prints, called in a folder that is no checkout, by a user whose settings are the machine's."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    told = subprocess.run(
        [installed / "bin/suite", *words], cwd=folder, env=variables, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout + told.stderr


@pytest.mark.unhurried
def test_what_it_reads_beside_its_code_is_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    assert re.fullmatch(
        r"suite, version \S+ \(commit [0-9a-f]{12}\)\n", suite(installed, tmp_path, "--version")
    )
    told = suite(installed, tmp_path, "run", "--all", "--profile", "quick", "--dry-run")
    assert all(name in told for name in ("mnist_cnn", "mask_rcnn", "llm", "torch", "sklearn"))
    names = {path.relative_to(paths.IMAGES) for path in paths.IMAGES.rglob("*") if path.is_file()}
    (own,) = installed.glob("lib/*/site-packages")
    assert {name for name in names if name.suffix in (".lock", ".toml", ".sh")} <= {
        path.relative_to(own / "images") for path in (own / "images").rglob("*")
    }


@pytest.mark.frameworks
def test_it_measures_and_reports(installed: Path, tmp_path: Path) -> None:
    words = ("-w", "svm", "-f", "sklearn", "-s", "train", "--profile", "quick", "-r", "1", "--no-verify")
    suite(installed, tmp_path, "run", *words, "--environment", "virtualenv", "-o", "campaign")
    assert "svm" in (tmp_path / "campaign/report.html").read_text()
    assert "Traceback" not in suite(installed, tmp_path, "status", "campaign")


def test_a_worker_finds_the_workloads_and_none_of_the_libraries_beside_them(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("suite", "harness", "numpy"):
        (tmp_path / "site-packages" / name).mkdir(parents=True)
    monkeypatch.setattr(paths, "ROOT", tmp_path / "site-packages")
    monkeypatch.setattr(paths, "SUITE", tmp_path / "site-packages/suite")
    for _ in range(2):
        found = paths.worker_path()
        assert [one.name for one in found.iterdir()] == ["suite"]
        assert (found / "suite").resolve() == tmp_path / "site-packages/suite"
