"""An adaptive campaign would have reached the verdicts of ICSE'22 with less than half of its runs."""

from __future__ import annotations

import numpy as np
import pytest

from harness import paths
from harness.analysis.sequential import every_block, walk
from tests.harness.analysis.icse22 import FOLDER, MODELS, QUANTITIES, cells, rows

pytestmark = pytest.mark.unhurried

if not FOLDER.is_dir():
    pytest.skip("the raw files of ICSE'22 are not beside the checkout", allow_module_level=True)


def test_every_cell_reaches_its_verdict_with_at_most_half_of_the_runs() -> None:
    assert len(cells()) == len(MODELS) * len(QUANTITIES)
    for cell in cells():
        assert cell.look.ratio.verdict == cell.fixed.verdict in ("better", "worse"), cell
        assert cell.saved >= 0.5, cell
    assert np.mean([cell.saved for cell in cells()]) > 0.65


def test_no_order_of_the_repetitions_would_have_needed_more_than_half_or_changed_a_verdict() -> None:
    draw, schedule = np.random.default_rng(5), every_block(10)
    for cell in cells():
        orders = np.stack([draw.permutation(cell.differences) for _ in range(2000)])
        path = walk(orders, schedule)
        verdicts = np.take_along_axis(path.verdicts, path.first[:, None], axis=1)
        assert set(verdicts.ravel()) == {cell.fixed.verdict}, cell
        assert schedule.looks[path.first.max()] <= 5, cell


def test_the_table_in_the_documentation_is_what_the_raw_files_give() -> None:
    text = (paths.ROOT / "docs" / "statistics.md").read_text()
    for row in rows():
        assert row in text, row
    saved = np.mean([cell.saved for cell in cells()])
    most = max(cell.look.ratio.blocks for cell in cells())
    assert f"{saved:.0%} fewer runs over all cells, at most {most} of 10 blocks" in text
