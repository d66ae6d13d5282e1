"""A report in a real Chromium: it is quiet and whole, whatever the names are, at every width, in light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

from harness.files.untrusted import printable
from tests.reports.conftest import HOSTILE, PAGES, Opened

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_requested_refused_or_said(opened: Opened, name: str, pages: dict[str, Path]) -> None:
    browser = opened(name)
    assert browser.get_log("browser") == []  # an alert, an error or a blocked request would be here
    sent = [
        entry["message"]
        for entry in browser.get_log("performance")
        if "Network.requestWillBeSent" in entry["message"]
    ]
    assert all(pages[name].as_uri() in message or '"data:,' in message for message in sent)
    assert browser.find_elements(By.CSS_SELECTOR, "img, iframe, object, embed, [onerror]") == []
    assert len(browser.find_elements(By.CSS_SELECTOR, "script:not([type])")) == 1


def test_hostile_text_is_shown_as_text(opened: Opened) -> None:
    browser = opened("hostile")
    assert printable(HOSTILE) in browser.find_element(By.TAG_NAME, "h1").text
    for section in ("work-1-verdict", "work-1-costs", "work-1-phases", "runs", "validity", "provenance"):
        assert "<script>alert(1)</script>" in browser.find_element(By.ID, section).text, section


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_its_window_and_every_section_has_a_heading(
    opened: Opened, name: str, width: int
) -> None:
    browser = opened(name, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    sections = browser.find_elements(By.CSS_SELECTOR, "main > section")
    assert len(sections) >= 7
    assert all(section.find_element(By.TAG_NAME, "h2").is_displayed() for section in sections)


def test_the_page_follows_the_readers_light_or_dark(opened: Opened) -> None:
    seen = []
    for mode in ("light", "dark"):
        browser = opened("friendly", mode=mode)
        label = browser.find_element(By.CSS_SELECTOR, ".chart text")
        paper = browser.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
        seen.append([paper, label.value_of_css_property("fill")])
    assert seen[0][0] != seen[1][0] and seen[0][1] != seen[1][1]


def test_wide_tables_scroll_by_keyboard_in_their_own_box(opened: Opened) -> None:
    browser = opened("friendly", 390)
    boxes = browser.find_elements(By.CSS_SELECTOR, ".scroll")
    assert boxes and all(
        box.get_attribute("tabindex") == "0" and box.get_attribute("aria-label") for box in boxes
    )
    wide = "return arguments[0].scrollWidth > arguments[0].clientWidth"
    assert any(browser.execute_script(wide, box) for box in boxes)
