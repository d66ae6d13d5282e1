"""What this machine resolves, on the screens of suite compare, gate, export and report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reports.resolution import NEVER
from tests.calibrations import QUIET, campaign
from tests.campaigns import build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]


def test_a_bundle_made_here_tells_the_same_elsewhere(suite: Suite, tmp_path: Path, home: Path) -> None:
    made = campaign(tmp_path, replace(QUIET, blocks=3))
    assert suite("export", made.folder, "--format", "bundle", "-o", tmp_path).code == 0
    answer = suite("report", tmp_path / "c.tar.gz", "-o", tmp_path / "b.html")
    assert answer.code == 0 and "the same bytes" in answer.out
    assert "This machine resolves" in (tmp_path / "b.html").read_text()


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    return campaign(tmp_path, sd=0.141).folder


def test_compare_tells_it_below_its_ratios_and_in_its_columns(suite: Suite, pair: Path) -> None:
    lines = suite("compare", pair, "--reference", "torch").out.splitlines()
    assert any(one.startswith("this machine resolves 13 % of energy") for one in lines)
    note = "note: mnist_cnn jax 0.10.2, energy_j: worse is below the 13 % that this machine resolves in 10 blocks"
    assert note in lines
    rows = json.loads(suite("compare", pair, "--reference", "torch", "--format", "json").out)
    (energy,) = [one for one in rows if one["quantity"] == "energy_j"]
    assert energy["resolves"] == pytest.approx(0.13, abs=0.005) and energy["note"].startswith(
        "below the 13 %"
    )
    (cpu,) = [one for one in rows if one["quantity"] == "cpu_s"]
    assert cpu["resolves"] is None and cpu["note"] == ""


def test_the_gate_tells_it_before_its_last_line(suite: Suite, pair: Path) -> None:
    answer = suite("gate", pair, "--reference", "torch", "--max-increase", "2%")
    lines = answer.out.splitlines()
    assert lines[-1].startswith("regression: energy") and answer.code == 1
    assert any(one.startswith("this machine resolves 13 % of energy") for one in lines)
    assert any("energy_j: worse is below the 13 % that this machine resolves" in one for one in lines)
    assert any("a limit of 2.0 % is finer than the 13 % that this machine resolves" in one for one in lines)


def test_gate_and_compare_without_a_calibration_name_the_remedy(suite: Suite, tmp_path: Path) -> None:
    folder = build(tmp_path / "c").folder
    for words in (("compare", folder), ("gate", folder, "--reference", "torch", "--max-increase", "50%")):
        out = suite(*words).out
        assert out.splitlines().count(NEVER) == 1 and "note:" not in out


def test_a_comparison_of_two_campaigns_tells_the_coarser_in_its_report(suite: Suite, tmp_path: Path) -> None:
    quiet = replace(QUIET, control_s=2.0)
    fine = campaign(tmp_path / "a", quiet, sd=0.01)
    coarse = campaign(
        tmp_path / "b", replace(quiet, frameworks={"torch": 1.05, "jax": 1.1}, seed=2), sd=0.141
    )
    lines = suite("compare", fine.folder, coarse.folder).out.splitlines()
    assert len([one for one in lines if one.startswith("this machine resolves")]) == 2
    assert any("torch 2.13.0, energy_j: worse is below the 13 %" in one for one in lines)
    page = tmp_path / "r.html"
    assert suite("report", coarse.folder, "--compare", fine.folder, "-o", page).code == 0
    section = page.read_text().split('<section id="comparison"')[1].split("</section>")[0]
    assert "Below the 13\u202f% that this machine resolves in 10 blocks." in section
