"""Nothing that axe calls serious, in light and dark, wide and narrow; and pictures of it, for people to look at."""

from __future__ import annotations

import base64
from importlib.resources import files

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from harness import paths
from tests.reports.conftest import PAGES, PROFILED, Opened, drawn

pytestmark = pytest.mark.browser

SCREENSHOTS = paths.ROOT / "build" / "screenshots"
SERIOUS = ("serious", "critical")
RUN = "const done = arguments[0]; axe.run().then((found) => done(found.violations), (error) => done(String(error)))"
MODES = ("light", "dark")
SEEN = [  # each page wide and narrow, light and dark
    (name, width, MODES[(number + narrow) % 2])
    for number, name in enumerate([*PAGES, *PROFILED])
    for narrow, width in enumerate((1280, 390), 1)
]
TALLEST = 12_000  # pixels of a picture


@pytest.fixture(scope="module")
def axe() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text()  # tests/axe.lock pins it


@pytest.mark.parametrize(("name", "width", "mode"), SEEN)
def test_axe_finds_nothing_serious(opened: Opened, axe: str, name: str, width: int, mode: str) -> None:
    browser = opened(name, width, mode)
    for number in range(len(browser.find_elements(By.CSS_SELECTOR, ".flame"))):
        drawn(browser, number)
    assert serious(browser, axe) == []


def serious(browser: webdriver.Chrome, axe: str) -> list[str]:
    """What axe finds on the page that is shown, and calls so."""
    browser.execute_script(axe)
    found = browser.execute_async_script(RUN)
    assert isinstance(found, list), found
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:300]}"
        for one in found
        if one["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [1280, 390])
def test_pictures_are_kept(opened: Opened, width: int, mode: str) -> None:
    file = SCREENSHOTS / f"report-{width}-{mode}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(picture(opened("friendly", width, mode), width))
    assert file.stat().st_size > 50_000


def picture(browser: webdriver.Chrome, width: int) -> bytes:
    height = min(browser.execute_script("return document.documentElement.scrollHeight"), TALLEST)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    return base64.b64decode(taken["data"])
