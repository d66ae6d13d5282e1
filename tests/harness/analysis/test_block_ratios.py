"""The ratio of each block: their geometric mean is the ratio that is told of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.analysis.block_ratios import block_ratios
from harness.analysis.quantities import leads
from harness.analysis.summary import analyse
from harness.records import Outcome
from tests.campaigns import Recipe, build


def test_their_geometric_mean_is_the_ratio_and_each_is_of_a_block_that_both_share(tmp_path: Path) -> None:
    outcomes = {("jax", 2): Outcome.FAILED}
    recipe = Recipe(
        frameworks={"torch": 1.0, "jax": 1.2, "keras": 0.9}, blocks=4, noise=0.1, outcomes=outcomes
    )
    analysis = analyse(build(tmp_path / "c", recipe))
    (group,) = analysis.groups
    found = block_ratios(analysis.counted, analysis.costs, group, leads())
    for row in analysis.costs.to_dict("records"):
        mine = found[(found["treatment"] == row["treatment"]) & (found["quantity"] == row["quantity"])]
        if row["quantity"] not in ("energy_j", "duration_s") or row["treatment"] == row["reference"]:
            assert mine.empty
            continue
        assert np.exp(np.log(mine["ratio"]).mean()) == pytest.approx(row["ratio"])
        assert list(mine["number"]) == ([1, 3, 4] if row["treatment"].startswith("jax") else [1, 2, 3, 4])
        assert set(mine["place"]) == {"block"}


def test_joules_of_two_kinds_have_none(tmp_path: Path) -> None:
    recipe = Recipe(blocks=2, meters={"tensorflow": "estimate"})
    analysis = analyse(build(tmp_path / "c", recipe))
    found = block_ratios(analysis.counted, analysis.costs, analysis.groups[0], leads())
    assert set(found["quantity"]) == {"duration_s"}
