"""What a reader does with a report in a real Chromium: points at charts, sorts tables, prints."""

from __future__ import annotations

import base64
import re

import pytest
from selenium import webdriver
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from harness.files.untrusted import printable
from tests.reports.conftest import HOSTILE, Opened

pytestmark = pytest.mark.browser

MARKS = ".role-mark path, .role-mark line"
TIP = "#vg-tooltip-element.visible"
WAIT_S = 20


def charts(browser: webdriver.Chrome) -> list[WebElement]:
    found: list[WebElement] = browser.find_elements(By.CSS_SELECTOR, ".chart")
    return found


def point_at(browser: webdriver.Chrome, element: WebElement) -> None:
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
    ActionChains(browser).move_to_element(element).perform()


def enlivened(browser: webdriver.Chrome, chart: WebElement) -> WebElement:
    point_at(browser, chart)
    WebDriverWait(browser, WAIT_S).until(lambda _: chart.get_attribute("data-live") == "yes")
    return chart


@pytest.mark.parametrize("name", ["hostile", "friendly"])
def test_every_chart_comes_alive_quietly_with_as_many_marks_as_its_drawing(opened: Opened, name: str) -> None:
    browser = opened(name)
    assert len(charts(browser)) >= 7
    for chart in charts(browser):
        drawn = len(chart.find_elements(By.CSS_SELECTOR, MARKS))
        living = enlivened(browser, chart).find_elements(By.CSS_SELECTOR, MARKS)
        assert len(living) == drawn > 0
    assert browser.get_log("browser") == []


def test_a_tooltip_tells_the_numbers_of_the_mark_under_the_pointer(opened: Opened) -> None:
    browser = opened("friendly")
    figure = browser.find_element(By.CSS_SELECTOR, ".share-phases .chart")
    bar = enlivened(browser, figure).find_element(By.CSS_SELECTOR, ".mark-rect path")
    point_at(browser, bar)
    tip = WebDriverWait(browser, WAIT_S).until(lambda one: one.find_element(By.CSS_SELECTOR, TIP))
    told = " ".join(tip.text.split())
    assert re.fullmatch(
        r"framework \S+ [\d.]+ part .+ energy \(J\) [\d.]+ lower end [\d.]+ upper end [\d.]+", told
    )
    box = tip.rect
    assert box["width"] < 400 and 0 <= box["x"] < 1280  # beside the pointer, not off the page


def test_a_hostile_name_in_a_tooltip_is_text(opened: Opened) -> None:
    browser = opened("hostile")
    figure = browser.find_element(By.CSS_SELECTOR, ".share-phases .chart")
    point_at(browser, enlivened(browser, figure).find_element(By.CSS_SELECTOR, ".mark-rect path"))
    tip = WebDriverWait(browser, WAIT_S).until(lambda one: one.find_element(By.CSS_SELECTOR, TIP))
    assert printable(HOSTILE) in tip.text
    assert tip.find_elements(By.CSS_SELECTOR, "script, img") == [] and browser.get_log("browser") == []


def test_a_table_sorts_by_value_up_and_down_with_unknown_last(opened: Opened) -> None:
    browser = opened("friendly")
    values = """const place = document.querySelector('#runs-table [data-column=duration_s]').cellIndex;
        const rows = [...document.querySelectorAll('#runs-table tbody tr')];
        return rows.map((row) => Number(row.cells[place].dataset.value))"""
    head = next(
        one for one in browser.find_elements(By.CSS_SELECTOR, "#runs-table thead th") if one.text == "Time"
    )
    before = browser.execute_script(values)
    head.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)  # as a keyboard does it
    assert head.get_attribute("aria-sort") == "ascending"
    assert browser.execute_script(values) == sorted(before)
    head.find_element(By.TAG_NAME, "button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert browser.execute_script(values) == sorted(before, reverse=True)
    browser.find_element(By.CSS_SELECTOR, "#runs-table thead th button").click()
    names = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#runs-table tbody th")]
    assert names == sorted(names) and head.get_attribute("aria-sort") is None


def test_what_is_sorted_moves_nothing(opened: Opened) -> None:
    browser = opened("friendly")
    for table in ("answer-table", "runs-table"):
        size = f"const one = document.querySelector('#{table}'); return [one.offsetHeight, one.offsetWidth]"
        before = browser.execute_script(size)
        for head in browser.find_elements(By.CSS_SELECTOR, f"#{table} thead th button"):
            browser.execute_script("arguments[0].click()", head)
            assert browser.execute_script(size) == before, (table, head.text)


def test_unknown_values_are_sorted_last_in_both_directions(opened: Opened) -> None:
    browser = opened("hostile")  # a failed run has no time
    button = browser.find_element(By.XPATH, "//table[@id='runs-table']//th[contains(., 'Time')]/button")
    for _ in range(2):
        button.click()
        place = 1 + int(button.find_element(By.XPATH, "..").get_attribute("cellIndex"))
        cells = browser.find_elements(By.CSS_SELECTOR, f"#runs-table tbody tr > :nth-child({place})")
        known = [one.get_attribute("data-value") is not None for one in cells]
        assert known == sorted(known, reverse=True) and {True, False} == set(known)


def test_it_prints_with_its_charts_and_without_controls(opened: Opened) -> None:
    browser = opened("friendly")
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert printed.startswith(b"%PDF-") and printed.rstrip().endswith(b"%%EOF")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 60
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not browser.find_element(By.TAG_NAME, "nav").is_displayed()
        assert all(chart.is_displayed() for chart in charts(browser))
        boxes = browser.find_elements(By.CSS_SELECTOR, ".scroll.tall")
        assert boxes
        cut = "return arguments[0].scrollHeight > arguments[0].clientHeight + 2"
        assert not any(
            browser.execute_script(cut, box) for box in boxes
        )  # nothing is hidden in a box that paper cannot scroll
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_without_script_the_page_has_its_drawings_and_tables(
    opened: Opened, browser: webdriver.Chrome
) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened("friendly")
        assert all(chart.find_elements(By.CSS_SELECTOR, MARKS) for chart in charts(browser))
        assert browser.find_element(By.ID, "runs-table").is_displayed()
        assert browser.find_elements(By.CSS_SELECTOR, "th button") == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
