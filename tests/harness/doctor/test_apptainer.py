"""Apptainer is told where it is installed, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.doctor import apptainer
from harness.doctor.check import Level


def machine(folder: Path, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_without_it_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(tmp_path, monkeypatch)
    assert list(apptainer.checks()) == []


def test_one_that_works_tells_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(tmp_path, monkeypatch, apptainer="echo 1.4.5", unshare="exit 0")
    (check,) = apptainer.checks()
    assert check.good
    assert check.state == "version 1.4.5"


@pytest.mark.parametrize(("unshare", "told"), [("exit 1", "user namespaces"), ("exit 0", "does not tell")])
def test_one_that_cannot_run_anything_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unshare: str, told: str
) -> None:
    machine(tmp_path, monkeypatch, apptainer="exit 1", unshare=unshare)
    (check,) = apptainer.checks()
    assert check.level is Level.WORSE
    assert told in check.state
    assert "max_user_namespaces" in check.remedy
