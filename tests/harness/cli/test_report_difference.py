"""suite report --difference: a campaign, or a bundle, against the one before; what cannot be held is one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaigns import MACHINE, Recipe
from tests.harness.cli.conftest import Answer
from tests.profiled import build_profiled

pytestmark = pytest.mark.unhurried
AFTER = Recipe(frameworks={"torch": 1.5}, blocks=1)
BEFORE = replace(AFTER, frameworks={"torch@2.12.0": 1.0})
SECTION = 'id="campaign_difference"'


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return build_profiled(tmp_path / "new", AFTER).folder


def test_the_report_has_the_difference_and_the_next_one_has_it_no_more(
    suite: Callable[..., Answer], new: Path, tmp_path: Path
) -> None:
    old = build_profiled(tmp_path / "old", BEFORE).folder
    assert suite("report", new, "--difference", old).code == 0
    page = (new / "report.html").read_text()
    assert SECTION in page and "torch 2.12.0 (the other one)" in page
    assert suite("report", new).code == 0 and SECTION not in (new / "report.html").read_text()


def test_of_bundles_and_without_names_it_is_the_same(
    suite: Callable[..., Answer], new: Path, tmp_path: Path
) -> None:
    build_profiled(tmp_path / "old", BEFORE)
    for one in ("new", "old"):
        assert suite("export", tmp_path / one, "--format", "bundle", "-o", tmp_path / "bundles").code == 0
    new, old = (tmp_path / "bundles" / f"{one}.tar.gz" for one in ("new", "old"))
    plain = suite("report", new, "--difference", old, "-o", tmp_path / "plain.html")
    assert (plain.code, plain.err) == (0, "")
    hidden = ("--anonymous", "--across-machines", "-o", tmp_path / "hidden.html")
    assert suite("report", new, "--difference", old, *hidden).code == 0
    for page in ("plain.html", "hidden.html"):
        assert SECTION in (tmp_path / page).read_text()


def test_what_cannot_be_held_is_refused_and_no_report_is_written(
    refused: Callable[..., str], new: Path, tmp_path: Path
) -> None:
    other = build_profiled(tmp_path / "other", replace(BEFORE, workload="mnist_mlp")).folder
    assert "new and other were profiled at different work" in refused("report", new, "--difference", other)
    assert "absent" in refused("report", new, "--difference", tmp_path / "absent")
    assert not (new / "report.html").exists()


def test_other_machines_are_held_only_where_the_user_insists(
    suite: Callable[..., Answer], refused: Callable[..., str], new: Path, tmp_path: Path
) -> None:
    there = replace(BEFORE, machine={**MACHINE, "machine_id": "f" * 32, "cpu_model": "Another CPU"})
    old = build_profiled(tmp_path / "old", there).folder
    assert "--across-machines" in refused("report", new, "--difference", old)
    assert suite("report", new, "--difference", old, "--across-machines").code == 0
    assert "Another CPU" in (new / "report.html").read_text()
