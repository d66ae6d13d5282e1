"""CONTRIBUTING.md is true: its paths are there, and what it says to touch is enough, followed in a copy of it all."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from harness import paths
from tests.emulators.powercap import EmulatedZone, PowercapTree
from tests.emulators.waveforms import constant
from tests.homes import link_environments
from tests.toys.steady import POWER_W

ROOT = paths.ROOT
TOYS = ROOT / "tests" / "toys"
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
SAID = re.compile(r"`([^`\n]+)`|\]\(([^)]+)\)")  # as code, or as a link
PLACE = re.compile(r"[\w.<>*-]*/[\w./<>*-]*|[\w.<>-]+\.(?:md|toml|py|yaml|j2)\b")
OWN = ("harness", "suite", "reports", "images", "compose")  # what runs
PACKAGE_W = 60.0
ENVIRONMENT = ("--environment", "virtualenv")
FRAMEWORKS = ("-f", "torch", "-f", "jax")
STAGES = ("train", "generate")


def places() -> set[str]:
    """Also those within commands."""
    said = ("".join(one) for one in SAID.findall(PAGE))
    return {place for one in said for place in PLACE.findall(one)}


def is_there(place: str) -> bool:
    """<word>: any name. A file that is named without its folder: in any of ours."""
    name = re.sub(r"<\w+>", "*", place.rstrip("/"))
    wanted = [name] if "/" in name else [name, *(f"{folder}/**/{name}" for folder in OWN)]
    return any(next(ROOT.glob(one), None) for one in wanted)


@pytest.mark.parametrize("place", sorted(places()))
def test_every_place_that_it_names_is_there(place: str) -> None:
    assert is_there(place)


def test_it_names_places() -> None:
    assert {"harness/devices.py", "suite/<workload>/", "docs/meters.md", "tests/harness/meters"} <= places()
    assert not is_there("harness/devices2.py") and not is_there("suite/<workload>/nvml.py")


class Copy:
    """What runs of the checkout, elsewhere, where they may be added to, and the program as it runs from there."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home, self.campaign = folder, home, folder.parent / "campaign"
        for name in OWN:
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))

    def add(self, toy: str, place: str) -> None:
        """A new file, which lies among the tests until then."""
        assert not (self.folder / place).exists()
        (self.folder / place).parent.mkdir(exist_ok=True)
        text = (TOYS / toy).read_text() if toy else ""
        (self.folder / place).write_text(text.replace("tests.toys.cipher", "suite.cipher"))

    def change(self, place: str, *, after: str, add: str) -> None:
        file = self.folder / place
        before = file.read_text()
        assert before.count(after) == 1
        file.write_text(before.replace(after, after + add))

    def suite(self, *words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "harness.cli", *map(str, words)]
        own = {
            "PYTHONPATH": str(self.folder),
            "JOULEMARK_HOME": str(self.home),
            "JOULEMARK_POWERCAP_ROOT": str(self.folder.parent / "powercap"),
        }
        environment = {**os.environ, **own}
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=environment)

    def run(self, *words: object) -> subprocess.CompletedProcess[str]:
        return self.suite("run", *words, "--profile", "quick", *ENVIRONMENT, "-o", self.campaign)

    def exported(self, name: str) -> pd.DataFrame:
        assert self.suite("export", self.campaign, "--format", "csv").returncode == 0
        return pd.read_csv(self.campaign / f"{name}.csv")


def copy_in(folder: Path) -> Copy:
    """With the environments and wheels that are at hand already."""
    home = folder / "home"
    link_environments(home)
    return Copy(folder / "checkout", home)


@pytest.fixture(scope="module")
def cipher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """The checkout and a workload that is no classification, from sequences to sequences: by new files alone."""
    folder = tmp_path_factory.mktemp("workload")
    copy = copy_in(folder)
    copy.add("", "suite/cipher/__init__.py")
    for name in ("spec.py", "torch_impl.py", "jax_impl.py"):
        copy.add(f"cipher/{name}", f"suite/cipher/{name}")
    copy.add("cipher/source.py", "harness/datasets/cipher.py")
    package = EmulatedZone("intel-rapl:0", "package-0", constant(PACKAGE_W))
    with PowercapTree(folder / "powercap", [package]):
        proven = copy.suite("verify", "cipher", *FRAMEWORKS, "--profile", "quick", *ENVIRONMENT)
        assert proven.returncode == 0, proven.stdout + proven.stderr
        assert proven.stdout.count("equal  cipher") == 6
        done = copy.run("-w", "cipher", *FRAMEWORKS, "-s", "train", "-s", "generate", "-r", 3)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "proving" not in done.stdout + done.stderr
    yield copy


@pytest.fixture(scope="module")
def tables_of_cipher(cipher: Copy) -> dict[str, pd.DataFrame]:
    return {name: cipher.exported(name) for name in ("runs", "epochs", "costs")}


@pytest.mark.frameworks
def test_a_workload_that_is_no_classifier_learns_by_its_own_metric(
    tables_of_cipher: dict[str, pd.DataFrame],
) -> None:
    runs = tables_of_cipher["runs"].query("purpose == 'measure'")
    assert sorted(runs.groupby(["framework", "stage"]).size()) == [3, 3, 3, 3]
    assert set(runs["outcome"]) == {"ok"} and set(runs["quality_metric"]) == {"edit_distance"}
    assert (runs["quality"] < 0.5).all()  # edits: 5 of a random answer
    assert tables_of_cipher["epochs"]["edit_distance"].notna().all()
    assert (tables_of_cipher["epochs"]["bleu"] > 0).all(), "which the host judges"


@pytest.mark.frameworks
def test_its_joules_per_token_are_those_of_the_counter(tables_of_cipher: dict[str, pd.DataFrame]) -> None:
    runs, costs = tables_of_cipher["runs"], tables_of_cipher["costs"]
    tokens = {stage: runs.loc[runs["stage"] == stage, "units_token"].unique() for stage in STAGES}
    rows = costs[costs["quantity"] == "stage_energy_j_per_token"]
    assert sorted(rows["stage"]) == ["generate", "generate", "train", "train"]
    for row in rows.itertuples():
        (counted,), same = (
            tokens[row.stage],
            costs["treatment"].eq(row.treatment) & costs["stage"].eq(row.stage),
        )
        duration_s = costs[same & costs["quantity"].eq("stage_duration_s")]["mean"].item()
        assert row.mean == pytest.approx(PACKAGE_W * duration_s / counted, rel=0.2)


@pytest.mark.frameworks
def test_it_is_compared_and_gated_by_joules_per_token(cipher: Copy) -> None:
    told = cipher.suite("compare", cipher.campaign, "--reference", "torch", "--format", "json")
    rows = {(row["stage"], row["quantity"]): row for row in json.loads(told.stdout)}
    per_token = {stage: rows[stage, "stage_energy_j_per_token"] for stage in STAGES}
    assert per_token["train"]["verdict"] == "worse" and per_token["generate"]["ratio"] > 0  # JAX compiles
    asked = ("--max-increase", "10%", "--quantity", "stage_energy_j_per_token", "--reference", "torch")
    gate = cipher.suite("gate", cipher.campaign, *asked)
    assert gate.returncode == 1 and "regression: stage_energy_j_per_token may rise by 10%" in gate.stdout


@pytest.mark.frameworks
def test_its_report_shows_its_metric_and_joules_per_token(cipher: Copy) -> None:
    (cipher.campaign / "report.html").unlink()
    assert cipher.suite("report", cipher.campaign).returncode == 0
    page = (cipher.campaign / "report.html").read_text()
    assert (
        "BLEU" in page
        and "Edit distance" in page
        and "Energy per token" in page
        and "accuracy" not in headings(page)
    )


def headings(page: str) -> str:
    return " ".join(re.findall(r"<th[^>]*>(.*?)</th>", page, re.DOTALL)).lower()


@pytest.mark.frameworks
def test_a_meter_is_added_by_one_file_and_its_line(tmp_path: Path) -> None:
    copy = copy_in(tmp_path)
    copy.add("steady.py", "harness/meters/steady.py")
    copy.change("harness/meters/__init__.py", after="    rapl,\n", add="    steady,\n")
    copy.change("harness/meters/__init__.py", after="process.find", add=", steady.find")
    told = copy.suite("meters").stdout
    assert re.search(r"^steady/machine +J +machine +simulated .* yes", told, re.MULTILINE)
    run = (
        "-w",
        "logistic_regression",
        "-f",
        "sklearn",
        "-s",
        "train",
        "-r",
        1,
        "--boundary",
        "steady/machine",
    )
    done = copy.run(*run)
    assert done.returncode == 0, done.stdout + done.stderr
    (one,) = copy.exported("runs").query("purpose == 'measure'").itertuples()
    assert (one.outcome, one.provenance, one.energy_boundary) == ("ok", "simulated", "machine")
    assert one.energy_j == pytest.approx(POWER_W * one.duration_s, rel=0.01)
