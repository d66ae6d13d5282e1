"""suite profile as a user calls it: a real framework, looked at while it works."""

import json
import re
import subprocess
import sys

import pytest

from harness import store
from harness.analysis.tables import measured, tables
from harness.records import Outcome, Purpose


def suite(*words):
    command = [sys.executable, "-m", "harness.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.frameworks
def test_functions_are_told_by_joules_and_the_balance_closes(tmp_path, shared_home):
    folder = tmp_path / "campaign"
    done = suite(
        "profile", "svm", "-f", "sklearn", "-s", "train", "--environment", "virtualenv", "-o", folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "svm, sklearn, train: " in done.stdout
    assert "sklearn.svm._base" in done.stdout
    campaign = store.load_campaign(folder)
    (run,) = campaign.runs
    assert (run.record.outcome, run.record.planned.purpose) == (Outcome.OK, Purpose.PROFILE)
    assert measured(tables(campaign).runs).empty
    (balance,) = (line for line in done.stdout.splitlines() if line.startswith("functions ") and "=" in line)
    *parts, total = map(float, re.findall(r"(\S+) J", balance))
    assert sum(parts) == pytest.approx(total, rel=1e-3)
    folded = (run.folder / "joules.folded").read_text().splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in folded) / 1000 == pytest.approx(parts[0], rel=0.01)
    drawn = json.loads((run.folder / "joules.speedscope.json").read_text())
    assert sum(drawn["profiles"][0]["weights"]) == pytest.approx(parts[0], rel=0.01)
    (phases,) = (line for line in done.stdout.splitlines() if line.startswith("J by phase: "))
    assert sum(map(float, re.findall(r"(\S+) ±", phases))) == pytest.approx(parts[0], rel=0.02)
    page = (folder / "report.html").read_text()
    assert 'id="functions-table-1"' in page and "sklearn.svm._base" in page


def test_an_unknown_workload_is_one_line(tmp_path):
    done = suite("profile", "mnist_mpl", "-o", tmp_path / "campaign")
    assert done.returncode == 2
    assert "mnist_mlp" in done.stderr
    assert not (tmp_path / "campaign").exists()
