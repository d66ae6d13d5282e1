"""Peak GPU memory: a quantity of runs that tell it, compared as the others, and of no others."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.quantities import GPU_MEMORY
from harness.analysis.summary import analyse
from harness.analysis.tables import tables
from harness.exports.frames import frames
from tests.campaigns import Recipe, build

NAME = GPU_MEMORY.name


def test_the_frameworks_own_count_is_compared(tmp_path: Path) -> None:
    told = {"torch": 2_000_000_000, "tensorflow": 3_000_000_000}
    analysis = analyse(build(tmp_path / "c", Recipe(blocks=3, gpu_bytes=told)))
    rows = analysis.costs.query("quantity == @NAME").set_index("treatment")
    assert rows["mean"].to_dict() == pytest.approx({"torch 2.13.0": 2e9, "tensorflow 2.21.0": 3e9})
    assert rows.loc["tensorflow 2.21.0", "ratio"] == pytest.approx(1.5)
    assert pd.isna(
        rows.loc["tensorflow 2.21.0", "verdict"]
    )  # allocators count alike each time: nothing spreads


def test_one_that_tells_none_has_none_and_no_ratio(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", Recipe(blocks=3, gpu_bytes={"torch": 2_000_000_000})))
    rows = analysis.costs.query("quantity == @NAME").set_index("treatment")
    assert rows["n"].to_dict() == {"torch 2.13.0": 3, "tensorflow 2.21.0": 0}
    assert rows.loc["tensorflow 2.21.0", ["mean", "ratio", "verdict"]].isna().all()


def test_a_campaign_on_cpus_has_no_such_column_nor_row(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    assert NAME not in tables(campaign).runs
    assert not (analyse(campaign).costs["quantity"] == NAME).any()


def test_exports_have_whole_bytes(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1, gpu_bytes={"torch": 2_000_000_000}))
    assert pd.api.types.is_integer_dtype(frames(campaign, analyse(campaign))["runs"][NAME])
