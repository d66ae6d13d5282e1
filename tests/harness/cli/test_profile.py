"""suite profile as a user calls it: a real framework, looked at while it works."""

import json
import os
import re
import subprocess
import sys

import pytest

from harness import paths, store
from harness.analysis.tables import measured, tables
from harness.cli.known_words import TOOLS
from harness.records import Outcome, Profiler, Purpose

PLANS = paths.ROOT / "harness" / "planning" / "plans"


def suite(*words):
    command = [sys.executable, "-m", "harness.cli", *map(str, words)]
    wide = {**os.environ, "COLUMNS": "200"}  # in which no name is folded
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=wide)


@pytest.mark.frameworks
def test_functions_are_told_by_joules_and_the_balance_closes(tmp_path, shared_home):
    folder = tmp_path / "campaign"
    done = suite(
        "profile", "svm", "-f", "sklearn", "-s", "train", "--environment", "virtualenv", "-o", folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "svm, sklearn 1." in done.stdout
    assert "sklearn.svm._base" in done.stdout
    assert "no worker gets any capability more" in done.stdout
    assert "suite run -w svm -f sklearn@1.9.1 -s train --profile quick -r 3 --profile-runs 3" in done.stdout
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


@pytest.mark.frameworks
def test_functions_and_operators_are_told_by_time_and_never_counted(tmp_path, shared_home):
    folder, plan = tmp_path / "campaign", tmp_path / "short.toml"
    plan.write_text(f"{(PLANS / 'quick.toml').read_text()}\n[settings]\nepochs = [7]\nbatch_size = [32]\n")
    tools = ("--tool", "cprofile", "--tool", "operators")
    chosen = ("mnist_mlp", "-f", "torch", "-f", "jax", "-s", "train", *tools)
    done = suite("profile", *chosen, "--profile", plan, "--environment", "virtualenv", "-o", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "torch.autograd.backward" in done.stdout
    assert "jax.device_get" in done.stdout
    assert "the same operators side by side" in done.stdout
    campaign = store.load_campaign(folder)
    assert measured(tables(campaign).runs).empty
    told = {
        run.record.planned.run_id[5:]: sorted(one.name for one in run.folder.iterdir())
        for run in campaign.runs
    }
    assert {
        name: bool({"calls.svg", "calls.csv", "functions.csv"} <= set(files)) for name, files in told.items()
    } == {
        f"mnist_mlp-{framework}-train-{tool}": tool == "cprofile"
        for framework in ("torch", "jax")
        for tool in ("cprofile", "operators")
    }
    assert not any("output" in files or "stacks.parquet" in files for files in told.values())


def test_operators_of_a_framework_without_a_profiler_are_one_line(tmp_path):
    done = suite("profile", "svm", "-f", "sklearn", "--tool", "operators", "-o", tmp_path / "campaign")
    assert done.returncode == 2
    assert "sklearn has no operators of its own to profile" in done.stderr
    assert not (tmp_path / "campaign").exists()


def test_the_tools_are_the_profilers_that_records_know():
    assert tuple(Profiler) == TOOLS
