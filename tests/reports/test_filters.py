"""The filter by framework among versions whose names begin alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.chromium import show

pytestmark = pytest.mark.browser

FRAMEWORKS = {"jax@0.4.31": 1.0, "torch@2.1": 1.2, "torch@2.10": 1.4, "jax@0.4.3": 1.6}
NAMES = {name.replace("@", " ") for name in FRAMEWORKS}
TOLD = """return [...document.querySelectorAll('.work .sentence > strong, .work [id^=costs-run] tbody th')]
    .filter((one) => one.checkVisibility()).map((one) => one.textContent.trim())"""

SHOWN = """return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility())
    .map((one) => one.dataset[arguments[1]])"""
ENERGY, TIME = (f".work [id^=phases-{name}] thead th" for name in ("energy_j", "duration_s"))
PARTS = {
    ".work .panel": "quantity",
    ".work [id^=verdict] .panel": "quantity",
    "#runs .panel": "quantity",
    "#ratios-table tbody tr": "row",
    ENERGY: "column",
    TIME: "column",
}


@pytest.mark.parametrize("wanted", sorted(NAMES))
def test_a_name_that_another_begins_with_is_another(
    browser: webdriver.Chrome, tmp_path: Path, wanted: str
) -> None:
    page = tmp_path / "page.html"
    page.write_text(render(build(tmp_path / "c", Recipe(frameworks=FRAMEWORKS)), reference="torch@2.10"))
    show(browser, page.as_uri(), 1280)
    Select(browser.find_element(By.CSS_SELECTOR, '[data-filter="framework"]')).select_by_value(wanted)
    assert NAMES & set(browser.execute_script(TOLD)) == {wanted, "torch 2.10"}


@pytest.fixture
def whole(browser: webdriver.Chrome, tmp_path: Path) -> webdriver.Chrome:
    """A page of two workloads and two stages, all folds open."""
    recipe = Recipe(frameworks=FRAMEWORKS, more_workloads=("mnist_mlp",), stages=("train", "infer"))
    page = tmp_path / "page.html"
    page.write_text(render(build(tmp_path / "c", recipe), reference="torch@2.10"))
    show(browser, page.as_uri(), 1280)
    browser.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    return browser


def shown(browser: webdriver.Chrome, name: str) -> list[str | None]:
    found: list[str | None] = browser.execute_script(SHOWN, name, PARTS[name])
    return found


def choose(browser: webdriver.Chrome, **asked: str) -> None:
    for name, value in asked.items():
        Select(browser.find_element(By.CSS_SELECTOR, f'[data-filter="{name}"]')).select_by_value(value)


def test_what_is_asked_for_is_alone_in_columns_in_the_table_of_ratios_and_among_the_drawings(
    whole: webdriver.Chrome,
) -> None:
    before = {name: shown(whole, name) for name in PARTS}
    choose(whole, workload="mnist_cnn", stage="train", framework="torch 2.1", quantity="energy_j")
    after = {name: shown(whole, name) for name in PARTS}
    assert "duration_s" in before[".work .panel"] and "duration_s" not in after[".work .panel"]
    assert after[".work .panel"].count("energy_j") == 5  # ratio, runs, phases, epochs, and all of them so far
    assert None not in after[".work [id^=verdict] .panel"] and after[".work [id^=verdict] .panel"]
    assert after["#ratios-table tbody tr"] == ["mnist_cnn · train torch 2.1 energy_j"]
    assert set(after[ENERGY]) == {"part", "torch 2.1", "torch 2.10"}
    assert set(before[TIME]) == {"part", *NAMES} and after[TIME] == []
    assert before["#runs .panel"] == after["#runs .panel"]  # the appendix tells of all


def test_with_a_table_go_its_notes(whole: webdriver.Chrome) -> None:
    notes = """return [...document.querySelectorAll('.work .scroll + .notes')].filter((one) =>
        one.checkVisibility() && !one.previousElementSibling.checkVisibility()).length"""
    choose(whole, quantity="energy_j")
    assert whole.execute_script(notes) == 0
    choose(whole, quantity="duration_s")
    assert whole.execute_script(notes) == 0


def test_of_the_reference_all_stays_that_is_held_against_it(whole: webdriver.Chrome) -> None:
    rows = shown(whole, "#ratios-table tbody tr")
    choose(whole, framework="torch 2.10")
    assert shown(whole, "#ratios-table tbody tr") == rows and len(rows) == 4 * 3 * 2
    cells = whole.find_elements(By.CSS_SELECTOR, "#answer-table .cell")
    assert len(cells) == 4 * 3 * 2 and all(one.is_displayed() for one in cells)
