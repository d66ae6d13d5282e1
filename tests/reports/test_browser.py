"""A report in a real Chromium: it is quiet, complete and usable, whatever the names are and whoever looks at it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from harness.records import Finding, Outcome, Unavailable
from reports.render import render
from tests.campaigns import MACHINE, Recipe, build

pytestmark = pytest.mark.browser

HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'é☃"
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no chromium and chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    one = webdriver.Chrome(options=options, service=Service(driver))
    yield one
    one.quit()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    finding = Finding(code=HOSTILE, severity=HOSTILE, message=HOSTILE, advice=HOSTILE)
    recipe = Recipe(
        frameworks={HOSTILE: 1.0, "torch": 1.2}, workload=HOSTILE, dataset=HOSTILE, reason=HOSTILE, blocks=2,
        stages=("train", "infer"), outcomes={("torch", 1): Outcome.FAILED}, run_findings=(finding,), isolation=HOSTILE,
        unavailable=(Unavailable(meter=HOSTILE, reason=HOSTILE, remedy=HOSTILE),),
        machine={**MACHINE, "hostname": HOSTILE, HOSTILE: HOSTILE},
    )  # fmt: skip
    return write(tmp_path_factory.mktemp("hostile"), recipe)


@pytest.fixture(scope="module")
def friendly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    frameworks = {
        "torch": 1.0,
        "tensorflow@2.20.0": 1.3,
        "tensorflow@2.21.0": 1.2,
        "keras-torch@3.15.1": 1.02,
        "jax": 0.97,
    }
    return write(
        tmp_path_factory.mktemp("friendly"), Recipe(frameworks=frameworks, meter="estimate", prepare=True)
    )


def write(folder: Path, recipe: Recipe) -> Path:
    file = folder / "report.html"
    file.write_text(render(build(folder / "c", recipe)))
    return file


def open_page(browser: webdriver.Chrome, file: Path, width: int = 1280) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    browser.get(file.as_uri())


@pytest.mark.parametrize("which", ["hostile", "friendly"])
def test_nothing_is_requested_refused_or_said(
    browser: webdriver.Chrome, which: str, request: pytest.FixtureRequest
) -> None:
    file = request.getfixturevalue(which)
    open_page(browser, file)
    assert browser.get_log("browser") == []  # an alert, an error or a blocked request would be here
    sent = [
        entry["message"]
        for entry in browser.get_log("performance")
        if "Network.requestWillBeSent" in entry["message"]
    ]
    assert all(file.as_uri() in message or '"data:,' in message for message in sent)
    assert browser.find_elements(By.CSS_SELECTOR, "img, iframe, object, embed, [onerror]") == []
    assert len(browser.find_elements(By.CSS_SELECTOR, "script:not([type])")) == 2


def test_hostile_text_is_shown_as_text(browser: webdriver.Chrome, hostile: Path) -> None:
    open_page(browser, hostile)
    assert HOSTILE in browser.find_element(By.TAG_NAME, "h1").text
    for section in ("verdict", "costs", "phases", "runs", "validity", "provenance"):
        assert "<script>alert(1)</script>" in browser.find_element(By.ID, section).text, section


@pytest.mark.parametrize("which", ["hostile", "friendly"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_its_window_and_every_section_has_a_heading(
    browser: webdriver.Chrome, which: str, width: int, request: pytest.FixtureRequest
) -> None:
    open_page(browser, request.getfixturevalue(which), width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    sections = browser.find_elements(By.TAG_NAME, "section")
    assert len(sections) >= 7
    assert all(section.find_element(By.TAG_NAME, "h2").is_displayed() for section in sections)


def test_the_page_follows_the_readers_light_or_dark(browser: webdriver.Chrome, friendly: Path) -> None:
    seen = []
    for mode in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": mode}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        open_page(browser, friendly)
        label = browser.find_element(By.CSS_SELECTOR, ".chart text")
        seen.append([browser.find_element(By.TAG_NAME, "body").value_of_css_property("background-color"),
                     label.value_of_css_property("fill")])  # fmt: skip
    assert seen[0][0] != seen[1][0] and seen[0][1] != seen[1][1]


def test_wide_tables_scroll_by_keyboard_in_their_own_box(browser: webdriver.Chrome, friendly: Path) -> None:
    open_page(browser, friendly, 390)
    boxes = browser.find_elements(By.CSS_SELECTOR, ".scroll")
    assert boxes and all(
        box.get_attribute("tabindex") == "0" and box.get_attribute("aria-label") for box in boxes
    )
    assert any(
        browser.execute_script("return arguments[0].scrollWidth > arguments[0].clientWidth", box)
        for box in boxes
    )
