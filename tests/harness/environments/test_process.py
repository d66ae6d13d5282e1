"""What a killed harness left of its workers' homes goes; those of others that live stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.environments.process import HOME_PREFIX, sweep_homes


def test_homes_of_harnesses_that_are_gone_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    names = [f"{HOME_PREFIX}{gone.pid}-a", f"{HOME_PREFIX}{os.getpid()}-b", f"{HOME_PREFIX}nobody", "other"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "cache").write_text("x")
    sweep_homes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
