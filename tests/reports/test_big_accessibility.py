"""A report of the size of `make run`, with its folds as they are at first: nothing that axe calls serious."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium import webdriver

from tests.reports.big import big_campaign, big_page
from tests.reports.chromium import lit, show
from tests.reports.test_accessibility import axe, serious

__all__ = ["axe", "big_campaign", "big_page"]  # fixtures
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize(("width", "mode"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_serious(
    browser: webdriver.Chrome, big_page: Path, axe: str, width: int, mode: str
) -> None:
    lit(browser, mode)
    assert serious(show(browser, big_page.as_uri(), width), axe) == []
