"""The section that holds profiled runs against another campaign's: the analysis' numbers, and inert."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from harness.analysis import campaigns_apart
from harness.analysis.campaigns_apart import HERE, THERE
from harness.analysis.profile_pairs import ProfiledPair
from harness.analysis.profiled import Profiles
from harness.store import Campaign, Run
from reports.campaign_difference import CampaignDifference
from reports.render import render
from tests.campaigns import Recipe
from tests.profiled import a_few, build_profiled
from tests.reports.chromium import show
from tests.reports.scrape import Page

pytestmark = pytest.mark.unhurried
EVIL = "</script><script>evil()</script><img src=x onerror=evil()>"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Campaign, Campaign]:
    place = tmp_path_factory.mktemp("both")

    def stacks(run: Run) -> list[str]:
        return [*a_few(run), f"{EVIL} (suite/{EVIL}.py)"] * 2

    new = build_profiled(place / "new", Recipe(frameworks={"torch": 1.5, "jax": 1.0}, blocks=1), stacks)
    return new, build_profiled(place / "old", Recipe(frameworks={"torch@2.12.0": 1.0, "jax": 1.0}, blocks=1))


def apart(new: Campaign, old: Campaign) -> Sequence[ProfiledPair]:
    return campaigns_apart.apart(Profiles(new), Profiles(old))


def page_of(new: Campaign, old: Campaign, same_machine: bool = True) -> str:
    return render(new, others=[CampaignDifference(old.record, apart(new, old), same_machine)])


def test_its_tables_are_the_analysis_and_stand_beside_those_within(both: tuple[Campaign, Campaign]) -> None:
    page = Page(page_of(*both))
    for number, pair in enumerate(apart(*both), 1):
        shown = page.cells[f"between-table-{number}"]
        for row in pair.rows.itertuples():
            assert page.value(f"between-table-{number}", row.function, "difference") == row.difference_j
        assert len(shown) == len(pair.rows)
    assert f"torch 2.13.0 ({HERE}) against torch 2.12.0 ({THERE})" in page.text
    assert "differences-table-1" in page.cells
    sections = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    assert sections[:2] == ["functions", "campaign_difference"]
    assert "different machines" not in page.text


def test_other_machines_are_said_and_without_another_campaign_there_is_no_such_section(
    both: tuple[Campaign, Campaign],
) -> None:
    assert "ran on different machines" in page_of(*both, same_machine=False)
    assert "campaign_difference" not in render(both[0])


@pytest.mark.browser
def test_its_flame_graphs_live_and_hostile_names_do_nothing(
    browser: webdriver.Chrome, both: tuple[Campaign, Campaign], tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(page_of(*both))
    for width in (1280, 390):
        show(browser, path.as_uri(), width)
        assert browser.get_log("browser") == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    flames = browser.find_elements(
        By.CSS_SELECTOR, "#campaign_difference .flame canvas, #campaign_difference .flame svg"
    )
    assert len(flames) >= 2
    keys = [one.get_attribute("data-flame") for one in browser.find_elements(By.CSS_SELECTOR, ".flame")]
    assert len(keys) == len(set(keys)) == 5
