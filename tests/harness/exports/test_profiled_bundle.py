"""A campaign whose runs were profiled goes into a bundle with all that its report is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import store
from harness.analysis.function_types import TYPES_FILE
from harness.exports.anonymised import anonymised
from harness.exports.bundle import Origin, write_bundle
from harness.exports.unbundle import opened
from harness.records import Profiler
from harness.store import Campaign
from reports.render import render
from tests.campaigns import Recipe
from tests.profiled import build_profiled
from tests.profiled_within import build_within

pytestmark = pytest.mark.unhurried

TYPES = "function,type\ntorch.nn.functional.relu,large data\n"


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    found = build_profiled(tmp_path / "c", Recipe(blocks=1))
    (found.folder / TYPES_FILE).write_text(TYPES)
    return found


def test_the_same_report_comes_out_of_it(campaign: Campaign, tmp_path: Path) -> None:
    page = render(campaign)
    assert "large data" in page
    write_bundle(campaign.folder, page, Origin(None, None), tmp_path / "c.tar.gz")
    with opened(tmp_path / "c.tar.gz") as folder:
        assert render(store.load_campaign(folder)) == page


def test_without_names_it_has_the_same_functions_and_types(campaign: Campaign) -> None:
    with anonymised(campaign.folder) as folder:
        page = render(store.load_campaign(folder))
        assert "large data" in page and "torch.nn.functional.relu" in page


@pytest.mark.parametrize(
    ("profiler", "name"),
    [(Profiler.CPROFILE, "torch.autograd.backward"), (Profiler.OPERATORS, "ConvolutionBackward0")],
)
def test_without_names_it_has_the_same_functions_and_operators_by_time(
    tmp_path: Path, profiler: Profiler, name: str
) -> None:
    """And whoever profiled is in none of them."""
    home = f"{Path('/home')}/alice/net"
    made = build_within(tmp_path / "c", Recipe(blocks=1), profiler, [home])
    assert home in render(made)
    with anonymised(made.folder) as folder:
        page = render(store.load_campaign(folder))
    assert name in page and "alice" not in page
