"""A flame graph in a real Chromium: found, read and zoomed by keyboard and pointer, and inert whatever it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.reports.conftest import PROFILED, Opened, drawn
from tests.reports.scrape import Page

pytestmark = pytest.mark.browser

RELU = "torch.nn.functional.relu"


def told(place: WebElement) -> str:
    return " ".join(place.find_element(By.CSS_SELECTOR, ".flame-told").text.split())


def press(place: WebElement, *keys: str) -> str:
    place.find_element(By.CSS_SELECTOR, ".flame-box").send_keys(*keys)
    return told(place)


def colours(browser: webdriver.Chrome, place: WebElement) -> dict[str, int]:
    """Of the canvas, how many pixels have each."""
    counted = """const canvas = arguments[0].querySelector("canvas"), found = {};
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        for (let at = 0; at < data.length; at += 4) {
          const key = [data[at], data[at + 1], data[at + 2], data[at + 3]].join();
          found[key] = (found[key] ?? 0) + 1;
        }
        return found"""
    found: dict[str, int] = browser.execute_script(counted, place)
    return found


@pytest.fixture
def profiled(opened: Opened) -> webdriver.Chrome:
    return opened("profiled")


def data_of(pages: dict[str, Path], name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Page(pages["profiled"].read_text()).packed(name))
    return found


def test_every_graph_is_drawn_when_the_reader_comes_near_and_quietly(opened: Opened) -> None:
    for name in PROFILED:
        browser = opened(name)
        places = browser.find_elements(By.CSS_SELECTOR, ".flame")
        assert len(places) == 3  # of two runs, and their difference
        for number in range(3):
            assert len(colours(browser, drawn(browser, number))) > 4
        assert browser.get_log("browser") == []


def test_arrow_keys_go_to_callers_callees_and_neighbours(profiled: webdriver.Chrome) -> None:
    place = drawn(profiled)
    assert told(place).startswith("all that was attributed:")
    assert press(place, Keys.ARROW_DOWN).startswith("suite.run.<module>:")
    assert press(place, Keys.ARROW_DOWN).startswith("suite.trainers.torch_trainer.step:")  # the widest
    assert press(place, Keys.ARROW_DOWN).startswith(f"{RELU}:")
    assert press(place, Keys.ARROW_LEFT).startswith("numpy.core.item:")
    assert press(place, Keys.ARROW_RIGHT).startswith(f"{RELU}:")
    assert press(place, Keys.ARROW_RIGHT).startswith(f"{RELU}:")  # there is no other
    assert press(place, Keys.ARROW_UP).startswith("suite.trainers.torch_trainer.step:")
    assert press(place, Keys.HOME).startswith("all that was attributed:")


def test_what_is_told_of_a_frame_are_its_joules(profiled: webdriver.Chrome, pages: dict[str, Path]) -> None:
    data = data_of(pages, "flame-1")
    (own,) = data["own"]
    relu = own[data["name"].index(data["names"].index(RELU))]
    said = press(drawn(profiled), *3 * [Keys.ARROW_DOWN])
    share = f"{100 * relu / sum(own):.3g} % of what was attributed"
    assert said == f"{RELU}: {relu:.3g} J with all that it calls, {share}; {relu:.3g} J of its own"


def test_enter_makes_a_frame_as_wide_as_all_and_escape_shows_the_whole_again(
    profiled: webdriver.Chrome,
) -> None:
    place = drawn(profiled)
    before = colours(profiled, place)
    press(place, *3 * [Keys.ARROW_DOWN], Keys.ENTER)
    zoomed = colours(profiled, place)
    blue = max(set(zoomed) - set(before) or set(zoomed), key=lambda one: zoomed[one] - before.get(one, 0))
    assert zoomed[blue] > before.get(blue, 0)
    press(place, Keys.ESCAPE)
    assert told(place).startswith("all that was attributed:")
    assert colours(profiled, place) == before


def test_focus_is_seen_and_the_tab_key_leaves_the_graph(profiled: webdriver.Chrome) -> None:
    place = drawn(profiled)
    box = place.find_element(By.CSS_SELECTOR, ".flame-box")
    place.find_element(By.TAG_NAME, "button").send_keys(Keys.TAB)
    assert profiled.switch_to.active_element == box
    assert box.value_of_css_property("outline-style") == "solid"
    box.send_keys(Keys.TAB)
    assert profiled.switch_to.active_element != box


def test_the_pointer_tells_and_a_click_zooms(profiled: webdriver.Chrome) -> None:
    place = drawn(profiled)
    box = place.find_element(By.CSS_SELECTOR, ".flame-box")
    middle = box.rect["height"] / 2
    to_row = ActionChains(profiled).move_to_element_with_offset
    to_row(box, 0, round(1.5 * 19 - middle)).perform()
    assert told(place).startswith("suite.run.<module>:")
    to_row(box, 0, round(3.5 * 19 - middle)).click().perform()
    assert told(place).startswith(f"{RELU}:")
    place.find_element(By.TAG_NAME, "button").click()
    assert told(place).startswith("all that was attributed:")


def test_a_search_marks_counts_each_joule_once_and_goes_to_the_next(
    profiled: webdriver.Chrome, pages: dict[str, Path]
) -> None:
    place = drawn(profiled)
    search = place.find_element(By.CSS_SELECTOR, "input[type=search]")
    search.send_keys("SUITE")
    whole = sum(data_of(pages, "flame-1")["own"][0])
    assert told(place) == f"found in 1 place: {whole:.3g} J, 100 %; Enter goes from one to the next"
    search.send_keys(5 * Keys.BACKSPACE, "numpy")
    assert told(place).startswith("found in 2 places: ")
    assert "240,228,66,255" in colours(profiled, place)
    search.send_keys(Keys.ENTER)
    assert told(place).startswith("numpy.core.load:")
    search.send_keys(Keys.ENTER)
    assert told(place).startswith("numpy.core.item:")
    search.send_keys("no such function")
    assert told(place) == "nothing found"


def test_a_difference_is_as_wide_as_the_run_that_is_chosen(profiled: webdriver.Chrome) -> None:
    place = drawn(profiled, 2)
    assert place.find_element(By.TAG_NAME, "select").get_attribute("value") == "1"
    down = 3 * [Keys.ARROW_DOWN]
    assert "jax.nn.functional.relu: 0 J in torch 2.13.0, " in press(place, *down)
    place.find_element(By.CSS_SELECTOR, "option[value='0']").click()
    assert press(place, *down).startswith(f"{RELU}:")
    legend = place.find_element(By.CSS_SELECTOR, ".flame-legend").text
    assert "more joules in jax 0.10.2" in legend and "more joules in torch 2.13.0" in legend


def test_hostile_names_are_text_and_nothing_else(opened: Opened) -> None:
    browser = opened("profiled-hostile")
    place = drawn(browser)
    said = [press(place, Keys.ARROW_DOWN) for _ in range(6)]
    assert said[1].startswith("</script><script>alert(3)</script>")
    assert r"\u202e" in said[2] and r"\x1b[31m" in said[2]
    assert said[5].startswith(195 * "x") and len(said[5]) < 400
    assert browser.get_log("browser") == []
    assert browser.find_elements(By.CSS_SELECTOR, "img, iframe, object, embed, [onerror]") == []
    assert len(browser.find_elements(By.CSS_SELECTOR, "script:not([type])")) == 1


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_its_window(opened: Opened, width: int) -> None:
    for name in PROFILED:
        browser = opened(name, width)
        for number in range(3):
            drawn(browser, number)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_it_follows_the_readers_light_or_dark(opened: Opened) -> None:
    seen = []
    for mode in ("light", "dark"):
        browser = opened("profiled", mode=mode)
        seen.append(colours(browser, drawn(browser)))
    assert max(seen[0], key=seen[0].get) != max(seen[1], key=seen[1].get)  # type: ignore[arg-type]


def test_without_script_there_is_a_drawing_that_stands_still(
    opened: Opened, browser: webdriver.Chrome
) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened("profiled")
        assert all(one.is_displayed() for one in browser.find_elements(By.CSS_SELECTOR, ".flame svg"))
        assert RELU in browser.find_element(By.CSS_SELECTOR, ".flame svg").text
        assert browser.find_element(By.ID, "functions-table-1").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
