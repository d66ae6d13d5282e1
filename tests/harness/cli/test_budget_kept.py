"""Ten budgets on this machine, from the command to the report: each is kept within a tenth, and is spent."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness import paths, store

pytestmark = [pytest.mark.frameworks, pytest.mark.slow, pytest.mark.alone]

WORDS = (
    "-w",
    "svm",
    "-w",
    "logistic_regression",
    "-f",
    "sklearn@1.8.0",
    "-f",
    "sklearn@1.9.1",
    "--no-verify",
)
BUDGETS_S = (120, 140, 160, 180, 200, 220, 240, 300, 360, 420)


def suite(*words: str | Path) -> tuple[float, str]:
    """Its wall time and what it said."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "harness.cli", "run", *map(str, words)]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return time.monotonic() - begun, done.stdout


@pytest.mark.parametrize("budget_s", BUDGETS_S)
def test_a_budget_is_kept_within_a_tenth(tmp_path: Path, budget_s: int) -> None:
    folder = tmp_path / "c"
    took_s, told = suite(*WORDS, "--profile", "quick", "--environment", "virtualenv", "-r", "30",
                         "--budget", f"{budget_s}s", "-o", folder)  # fmt: skip
    assert took_s <= 1.1 * budget_s
    runs = [one.record for one in store.load_campaign(folder).runs]
    most_s = max(one.exit_ns - one.start_ns for one in runs) / 1e9
    assert store.stopped(folder) is not None or took_s >= 0.8 * budget_s - most_s  # had no time for another
    assert (folder / "report.html").exists() and "known to the end" in told


def test_it_goes_on_with_more(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    suite(*WORDS, "--profile", "quick", "--environment", "virtualenv", "--budget", "120s", "-o", folder)
    made = len(store.load_campaign(folder).runs)
    took_s, _ = suite("--resume", folder, "--no-verify", "--budget", "+120s")
    assert took_s <= 132
    assert store.stopped(folder) is not None or len(store.load_campaign(folder).runs) > made
