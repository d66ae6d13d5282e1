"""A report of the size of `make run` in a real Chromium: it settles the question first, and can be read to its end."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver import Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from tests.reports.big import big_campaign, big_page
from tests.reports.chromium import HEIGHT, show

__all__ = ["big_campaign", "big_page"]  # fixtures
pytestmark = [pytest.mark.browser, pytest.mark.unhurried]

MOST_SCREENS, MOST_PAGES = 10, 25
A4 = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
WHOLE = "return document.documentElement.scrollHeight"
BOTTOM = "return arguments[0].getBoundingClientRect().bottom + scrollY"
OUTSIDE = """const wide = document.documentElement.clientWidth;
    return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()
        && one.getBoundingClientRect().right > wide + 1).map((one) => one.outerHTML.slice(0, 200))"""
COLLIDING = """const found = [];
    for (const axis of document.querySelectorAll('.chart .role-axis-label')) {
        const boxes = [...axis.querySelectorAll('text')].filter((one) => one.textContent && one.checkVisibility()
            && getComputedStyle(one).opacity !== '0').map((one) => [one.getBoundingClientRect(), one.textContent]);
        boxes.forEach(([a, text], place) => boxes.slice(place + 1).forEach(([b, other]) => {
            const across = a.left < b.right && b.left < a.right;
            if (text === other || (across && a.top < b.bottom - 1 && b.top < a.bottom - 1))
                found.push([text, other]);
        }));
    }
    return found"""
SEEN = "return document.getElementById(arguments[0]).checkVisibility()"
Shown = Callable[..., webdriver.Chrome]


@pytest.fixture
def shown(browser: webdriver.Chrome, big_page: Path) -> Shown:
    return lambda width=1280: show(browser, big_page.as_uri(), width)


def test_the_first_screen_has_the_answer_and_how_far_to_trust_it(shown: Shown) -> None:
    browser = shown()
    for name in ("#answer-table", ".trust", ".tallies"):
        assert browser.execute_script(BOTTOM, browser.find_element(By.CSS_SELECTOR, name)) <= HEIGHT, name
    assert len(browser.find_elements(By.CSS_SELECTOR, "#answer-table tbody tr")) == 18


def test_it_is_at_most_ten_screens_before_anything_is_opened(shown: Shown) -> None:
    assert shown().execute_script(WHOLE) <= MOST_SCREENS * HEIGHT


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_reaches_over_the_edge(shown: Shown, width: int) -> None:
    browser = shown(width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_no_labels_of_an_axis_collide_or_come_twice(shown: Shown) -> None:
    browser = shown()
    browser.execute_script(
        "for (const one of [...document.querySelectorAll('.work')].slice(0, 3)) one.open = true"
    )
    assert browser.execute_script(COLLIDING) == []


def test_printed_it_has_at_most_25_pages_and_nothing_is_cut_off(shown: Shown) -> None:
    browser = shown()
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", A4)["data"])
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= MOST_PAGES
    size = {
        "width": 704,
        "height": 1000,
        "deviceScaleFactor": 1,
        "mobile": False,
    }  # what A4 has between its margins
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert browser.execute_script(OUTSIDE, "td, th, p, svg, code, li") == []
        seen = {name: browser.execute_script(SEEN, name) for name in ("verdict-table-1", "costs-whole-1")}
        assert seen == {"verdict-table-1": True, "costs-whole-1": False}  # though both are in a closed fold
        assert browser.find_element(By.CSS_SELECTOR, ".paper").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_fold_opens_by_keyboard_and_by_a_link_into_it(shown: Shown) -> None:
    browser = shown()
    first, second = browser.find_elements(By.CSS_SELECTOR, ".work")[:2]
    first.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
    assert first.get_attribute("open") and not second.get_attribute("open")
    link = browser.find_element(By.CSS_SELECTOR, f'#answer-table a[href="#{second.get_attribute("id")}"]')
    link.send_keys(Keys.ENTER)
    assert second.get_attribute("open")
    browser.find_element(By.CSS_SELECTOR, '.legend a[href="#ratios"]').send_keys(Keys.ENTER)
    assert browser.find_element(By.ID, "ratios-table").is_displayed()


def test_the_arrow_keys_lead_from_cell_to_cell_and_each_tells_its_interval(shown: Shown) -> None:
    browser = shown()
    cell = browser.find_element(By.CSS_SELECTOR, '#answer-table .cell[tabindex="0"]')
    cell.send_keys(Keys.ARROW_DOWN)
    browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    there = browser.switch_to.active_element
    rows = browser.find_elements(By.CSS_SELECTOR, "#answer-table tbody tr")
    assert there == rows[1].find_elements(By.CSS_SELECTOR, ".cell")[1]
    tip = browser.find_element(By.CSS_SELECTOR, ".tip")
    assert tip.is_displayed() and re.search(r"interval [\d.]+–[\d.]+", tip.text)
    there.send_keys(Keys.ESCAPE)
    assert not tip.is_displayed()
    assert len(browser.find_elements(By.CSS_SELECTOR, '#answer-table .cell[tabindex="0"]')) == 1


OF_BOTH = ("energy x time",)


def test_filters_leave_out_what_nobody_asked_for(shown: Shown) -> None:
    browser = shown()
    choose = {
        one.get_attribute("data-filter"): Select(one)
        for one in browser.find_elements(By.CSS_SELECTOR, ".filters select")
    }
    assert set(choose) == {"workload", "stage", "framework", "quantity"}
    choose["workload"].select_by_value("ncf")
    choose["stage"].select_by_value("train")
    folds = [one for one in browser.find_elements(By.CSS_SELECTOR, ".work") if one.is_displayed()]
    assert len(folds) == 1 and folds[0].get_attribute("data-workload") == "ncf"
    assert browser.find_element(By.CSS_SELECTOR, ".shown").text == "1 of 18 shown"
    choose["framework"].select_by_value("jax 0.10.2")
    choose["quantity"].select_by_value("duration_s")
    cells = [
        one for one in browser.find_elements(By.CSS_SELECTOR, "#answer-table .cell") if one.is_displayed()
    ]
    assert [one.get_attribute("data-framework") for one in cells] == ["jax 0.10.2"]
    for one in choose.values():
        one.select_by_value("")
    assert (
        len(
            [
                one
                for one in browser.find_elements(By.CSS_SELECTOR, "#answer-table .cell")
                if one.is_displayed()
            ]
        )
        == 144
    )


def test_of_one_framework_folds_tell_beside_its_reference_alone(shown: Shown) -> None:
    browser = shown()
    browser.find_element(By.CSS_SELECTOR, '.filters [data-open="yes"]').send_keys(Keys.ENTER)
    choose = Select(browser.find_element(By.CSS_SELECTOR, '.filters [data-filter="framework"]'))
    names = [one.get_attribute("value") for one in choose.options if one.get_attribute("value")]
    reference, wanted = "torch 2.13.0", "jax 0.10.2"

    def told() -> set[str]:
        rows = browser.find_elements(
            By.CSS_SELECTOR, ".work [id^=costs-run] tbody th, .work .sentence > strong"
        )
        return {" ".join(one.text.split()) for one in rows if one.is_displayed()} & set(names)

    assert reference in names and told() == set(names)
    choose.select_by_value(wanted)
    assert told() == {wanted, reference}
    assert f"{wanted} beside its reference" in browser.find_element(By.CSS_SELECTOR, ".shown").text
    choose.select_by_value("")
    assert told() == set(names)


def test_of_one_quantity_no_fold_tells_the_other(shown: Shown) -> None:
    browser = shown()
    browser.find_element(By.CSS_SELECTOR, '.filters [data-open="yes"]').send_keys(Keys.ENTER)
    choose = Select(browser.find_element(By.CSS_SELECTOR, '.filters [data-filter="quantity"]'))
    height = browser.execute_script("return document.body.scrollHeight")

    def titles() -> set[str]:
        heads = browser.find_elements(By.CSS_SELECTOR, ".work .claims h4, .work th[data-column]")
        return {re.sub(r"[^a-z ].*", "", one.text.lower()).strip() for one in heads if one.is_displayed()}

    told = titles()
    assert any("energy" in one for one in told) and any("time" in one for one in told)
    choose.select_by_value("duration_s")
    assert not [one for one in titles() if one.startswith("energy") and one not in OF_BOTH]
    assert any("time" in one for one in titles())
    assert browser.execute_script("return document.body.scrollHeight") < height
    choose.select_by_value("")
    assert titles() == told


def test_without_script_all_is_there_and_no_filter(shown: Shown, browser: webdriver.Chrome) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        shown()
        assert not browser.find_element(By.CSS_SELECTOR, ".filters").is_displayed()
        assert browser.find_element(By.ID, "answer-table").is_displayed()
        browser.find_element(By.CSS_SELECTOR, ".work summary").send_keys(Keys.ENTER)
        assert browser.find_element(By.ID, "verdict-table-1").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
