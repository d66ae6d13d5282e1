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
ASKED = {"workload": "mnist_cnn", "stage": "train", "framework": "torch 2.1", "quantity": "energy_j"}
PARTS = {
    ".work .panel": "quantity",
    "#ratios-table tbody tr": "row",
    ".work [id^=phases-energy_j] thead th": "column",
    ".work [id^=phases-duration_s] thead th": "column",
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


def test_what_is_asked_for_is_alone_in_columns_in_the_table_of_ratios_and_among_the_drawings(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    recipe = Recipe(frameworks=FRAMEWORKS, more_workloads=("mnist_mlp",), stages=("train", "infer"))
    page = tmp_path / "page.html"
    page.write_text(render(build(tmp_path / "c", recipe), reference="torch@2.10"))
    show(browser, page.as_uri(), 1280)
    browser.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    def shown(selector: str, key: str) -> set[str]:
        found = browser.execute_script(SHOWN, selector, key)
        return {one for one in found if one}

    before = {name: shown(name, key) for name, key in PARTS.items()}
    assert {"energy_j", "duration_s"} <= before[".work .panel"]
    for name, value in ASKED.items():
        Select(browser.find_element(By.CSS_SELECTOR, f'[data-filter="{name}"]')).select_by_value(value)
    after = {name: shown(name, key) for name, key in PARTS.items()}
    assert after[".work .panel"] == {"energy_j"}
    assert after["#ratios-table tbody tr"] == {"mnist_cnn · train torch 2.1 energy_j"}
    assert after[".work [id^=phases-energy_j] thead th"] == {"part", "torch 2.1", "torch 2.10"}
    assert before[".work [id^=phases-duration_s] thead th"] == {"part", *NAMES}
    assert after[".work [id^=phases-duration_s] thead th"] == set()
