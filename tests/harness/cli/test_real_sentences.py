"""What every framework learns from real sentences, as a user runs it: the official split of the emotion data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness import store
from harness.analysis.tables import tables
from harness.environments.frameworks import frameworks
from tests.conftest import SHARED

FRAMEWORKS = {
    name for name, one in frameworks().items() if one.implementation != "sklearn" and not one.variant
}
LEAST_ACCURACY = 0.85  # what the workload was made for; its own floor is higher

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]


def suite(*words: object) -> str:
    command = [sys.executable, "-m", "harness.cli", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_framework_names_the_emotions_of_real_sentences(tmp_path: Path, shared_home: Path) -> None:
    folder, out = SHARED / "data" / "emotion", tmp_path / "campaign"
    if not folder.is_dir():
        pytest.skip("the official files of the emotion data are not beside the checkout")
    suite("data", "import", "emotion", folder)
    suite("run", "-w", "emotion_rnn", "-s", "train", "-r", 1, "--environment", "virtualenv", "-o", out)
    runs = tables(store.load_campaign(out)).runs.query("stage == 'train'")  # without warm-up and control
    print(runs[["framework", "dataset", "duration_s", "quality"]].to_string())
    assert set(runs["dataset"]) == {"emotion"}
    assert set(runs["framework"]) == FRAMEWORKS
    assert (runs["quality"] >= LEAST_ACCURACY).all()
    assert (runs["samples"] == 4 * 16_000).all()
