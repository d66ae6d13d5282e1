"""A campaign that an older suite measured, on emulated meters: read, told and compared as that suite did.

stored_before.tar.xz holds the campaign, of format 1 without tasks and units (two workloads, three frameworks, three
blocks, its trained states left out), and beside it what that suite's `export` and `statistics` wrote of it.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from harness import store
from harness.records import Outcome
from reports.render import render
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
STORED = Path(__file__).with_name("stored_before.tar.xz")
TABLES = ("runs", "phases", "epochs", "costs")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored")
    with tarfile.open(STORED) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def expected(unpacked: Path) -> Path:
    return unpacked / "expected"


@pytest.fixture
def campaign(unpacked: Path) -> Path:
    return unpacked / "before"


def test_every_run_is_read_and_counts(campaign: Path) -> None:
    read = store.load_campaign(campaign)
    assert [run.record.outcome for run in read.runs] == [Outcome.OK] * 20
    assert not read.stop


def test_its_tables_say_what_they_said(campaign: Path, expected: Path, tmp_path: Path, suite: Suite) -> None:
    """Columns may have come, none has gone or changed; costs may have more quantities."""
    assert suite("export", campaign, "--format", "csv", "-o", tmp_path).code == 0
    for name in TABLES:
        before, now = (pd.read_csv(folder / f"{name}.csv") for folder in (expected, tmp_path))
        if name == "costs":
            now = now[now["quantity"].isin(before["quantity"])].reset_index(drop=True)
        assert_frame_equal(now[list(before.columns)], before, rtol=1e-9, obj=name)


def test_its_statistics_are_the_same(campaign: Path, expected: Path, suite: Suite) -> None:
    answer = suite("statistics", campaign, "--format", "csv")
    assert answer.code == 0
    before, now = pd.read_csv(expected / "statistics.csv"), pd.read_csv(io.StringIO(answer.out))
    assert_frame_equal(now[list(before.columns)], before, rtol=1e-9)


def test_a_gate_finds_the_regression_that_is_in_it(campaign: Path, suite: Suite) -> None:
    answer = suite("gate", campaign, "--max-increase", "5%", "--reference", "jax")
    assert answer.code == 1 and answer.out.rstrip().endswith("regression: energy may rise by 5%")


def test_its_report_has_its_verdict(campaign: Path) -> None:
    page = render(store.load_campaign(campaign))
    assert "torch 2.13.0" in page and "1.65" in page
