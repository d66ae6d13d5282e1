"""What a killed harness left of its workers' homes goes; those of others that live stay."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.environments import process_mark
from harness.environments.process import HOME_PREFIX, sweep_homes


def test_homes_of_harnesses_that_are_gone_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    namespace = process_mark.own().partition(":")[0]
    left = f"{namespace}-{gone.pid}-1-a"
    kept = [
        process_mark.own().replace(":", "-") + "-b",
        f"{int(namespace) + 1}-{gone.pid}-1-c",
        "nobody",
        "1-2",
    ]
    names = [f"{HOME_PREFIX}{left}", *(f"{HOME_PREFIX}{one}" for one in kept), "other"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "cache").write_text("x")
    sweep_homes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
