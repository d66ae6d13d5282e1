"""The sections on functions and operators by time: the analysis' numbers; absent elsewhere, whole in any case."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from harness.analysis.summary import analyse
from harness.profiling.function_files import FUNCTIONS_FILE
from harness.records import Profiler
from harness.store import Campaign
from reports.render import render
from tests.campaigns import Recipe, build
from tests.profiled_within import build_within
from tests.reports.chromium import show
from tests.reports.parts_of import page_of, section_of
from tests.reports.scrape import Page

TWO = Recipe(frameworks={"torch": 1.0, "jax": 1.1}, blocks=1)
ONE = Recipe(frameworks={"torch": 1.0}, blocks=1)
EVIL = "</script><script>evil()</script><img src=x onerror=evil()>"


def section(name: str, campaign: Campaign) -> Page:
    found = section_of(name, analyse(campaign), campaign)
    assert found is not None
    return page_of(found)


def test_functions_are_told_by_their_public_names(tmp_path: Path) -> None:
    page = section("calls", build_within(tmp_path / "c", ONE, Profiler.CPROFILE))
    rows = page.cells["calls-table-1"]
    assert [cells["function"].text.partition("&lt;")[0] for cells in rows.values()] == [
        "torch.autograd.backward", "torch.conv2d",
    ]  # fmt: skip
    first = rows["<method 'run_backward' of 'torch._C._EngineBase' objects>"]
    assert (first["calls"].value, first["own_s"].value, float(str(first["share"].value))) == (
        "44",
        "7.0",
        0.7,
    )


def test_the_same_operators_stand_side_by_side(tmp_path: Path) -> None:
    page = section("operators", build_within(tmp_path / "c", TWO, Profiler.OPERATORS))
    rows = page.cells["operators-table-1"]
    told = {name: [cells[one].value for one in ("run-1", "run-2")] for name, cells in rows.items()}
    assert told == {
        "convolution, gradient": ["0.7", "0.6"],
        "convolution": ["0.30000000000000004", "0.3"],
        "optimiser update": [None, "0.1"],
    }
    assert page.cells["operators-table-1-2"]["convolution aten::conv2d"]["flops"].value == "4000000000.0"
    assert page.cells["operators-table-1-2"]["convolution aten::conv2d"]["bytes"].value is None


def test_joules_of_operators_are_told_with_their_balance_or_why_not(tmp_path: Path) -> None:
    campaign = build_within(tmp_path / "c", ONE, Profiler.OPERATORS, recorded_s=2.0)
    page = section("operators", campaign)
    cells = page.cells["operators-table-1-1"]
    balance = {
        key: float(str(row["joules"].value)) for key, row in page.cells["operators-table-1-1-balance"].items()
    }
    assert sum(float(str(row["joules"].value)) for row in cells.values()) == pytest.approx(
        balance["operators"]
    )
    assert sum(balance[one] for one in ("operators", "nothing", "idle")) == pytest.approx(balance["sum"])
    assert balance["sum"] == pytest.approx(balance["energy"], rel=1e-3)
    assert "shared by time, not sampled" in render(campaign)
    untold = section("operators", build_within(tmp_path / "d", ONE, Profiler.OPERATORS))
    assert "operators-table-1-1-balance" not in untold.cells
    assert untold.cells["operators-table-1-1"]["convolution aten::conv2d"]["joules"].value is None


def test_a_page_of_measured_runs_has_neither(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", ONE)
    analysis = analyse(campaign)
    assert section_of("calls", analysis, campaign) is section_of("operators", analysis, campaign) is None


def test_a_table_that_was_altered_is_said_and_the_others_are_shown(tmp_path: Path) -> None:
    campaign = build_within(tmp_path / "c", TWO, Profiler.CPROFILE)
    (campaign.runs[0].folder / FUNCTIONS_FILE).write_text("nonsense")
    page = render(campaign)
    assert page.count("Not told: ") == 1
    assert page.count('class="scroll callgraph"') == 1


@pytest.mark.parametrize("profiler", [Profiler.CPROFILE, Profiler.OPERATORS])
def test_no_markup_of_a_stranger_reaches_the_page(tmp_path: Path, profiler: Profiler) -> None:
    page = render(build_within(tmp_path / "c", ONE, profiler, [EVIL, f"a{EVIL}"]))
    assert "<script>evil" not in page and "<img src=x" not in page
    assert "&lt;script&gt;evil()" in page


@pytest.mark.browser
def test_the_page_is_quiet_fits_its_window_and_the_graph_is_found_by_keyboard(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(render(build_within(tmp_path / "c", TWO, Profiler.CPROFILE, [EVIL])))
    for width in (1280, 390):
        show(browser, path.as_uri(), width)
        assert browser.get_log("browser") == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    graph = browser.find_element(By.CSS_SELECTOR, ".callgraph")
    assert graph.get_attribute("role") == "img" and "Call graph of" in str(graph.get_attribute("aria-label"))
    assert graph.get_attribute("tabindex") == "0"
    drawing = graph.find_element(By.TAG_NAME, "svg")
    assert drawing.rect["width"] <= graph.rect["width"]
    browser.find_element(By.CSS_SELECTOR, ".graph input").send_keys(Keys.SPACE)
    assert drawing.rect["width"] > graph.rect["width"]
