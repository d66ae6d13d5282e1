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


@pytest.mark.parametrize("wanted", sorted(NAMES))
def test_a_name_that_another_begins_with_is_another(
    browser: webdriver.Chrome, tmp_path: Path, wanted: str
) -> None:
    page = tmp_path / "page.html"
    page.write_text(render(build(tmp_path / "c", Recipe(frameworks=FRAMEWORKS)), reference="torch@2.10"))
    show(browser, page.as_uri(), 1280)
    Select(browser.find_element(By.CSS_SELECTOR, '[data-filter="framework"]')).select_by_value(wanted)
    assert NAMES & set(browser.execute_script(TOLD)) == {wanted, "torch 2.10"}
