"""A headless Chromium for the tests and benches that look at reports."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


HEIGHT = 900
LOAD_S = 60
SCRIPT_S = 180  # the usual 30 s are not enough on a machine that does something else as well


@contextmanager
def chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """Raises: LookupError where there is no Chromium, or no driver of it."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        raise LookupError("no chromium and chromedriver on this machine (tests/programs.sh installs them)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    browser.set_script_timeout(SCRIPT_S)
    try:
        yield browser
    finally:
        browser.quit()


def show(browser: webdriver.Chrome, address: str, width: int = 1280) -> webdriver.Chrome:
    """A page in a window of its own size, whole: on a busy machine the driver returns while it is still being read."""
    size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get("about:blank")  # the browser's own first page goes on asking for its pictures
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    browser.get(address)
    WebDriverWait(browser, LOAD_S).until(
        lambda one: one.execute_script("return [document.readyState, location.href]") == ["complete", address]
    )
    return browser


def lit(browser: webdriver.Chrome, mode: str) -> None:
    """What the reader asked of pages: "light" or "dark", and nothing that moves."""
    asked = {"prefers-color-scheme": mode, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in asked.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
