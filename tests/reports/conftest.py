"""Pages of every kind, and a Chromium to look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from harness.records import Finding, Outcome, Unavailable
from harness.store import Campaign, Run
from reports.render import render
from tests.campaigns import MACHINE, Recipe, build
from tests.harness.analysis.test_serving import GENERATES
from tests.profiled import Stacks, a_few, build_profiled
from tests.reports.chromium import chromium, lit, show
from tests.reports.scrape import Page

TURNED = "\u202e\u2066\u200f\x1b[31m"  # what turns the numbers after it round, and what a terminal obeys
HOSTILE = f"\"><script>alert(1)</script><img src=x onerror=alert(2)>'é☃{TURNED}"
FINDING = Finding(code=HOSTILE, severity=HOSTILE, message=HOSTILE, advice=HOSTILE)
FRIENDLY = {
    "torch": 1.0,
    "tensorflow@2.20.0": 1.3,
    "tensorflow@2.21.0": 1.2,
    "keras-torch@3.15.1": 1.02,
    "jax": 0.97,
}


def hostile(run: Run) -> list[str]:
    """Functions named as markup, commands and quotes, and one of a hundred thousand letters."""
    worst = ["</script><script>alert(3)</script>", HOSTILE, "'\"`${alert(4)}\\", "]]>--><!--", "x" * 100_000]
    names = [name.replace(";", ",") for name in worst]
    return [f"<module> (suite/run.py);{';'.join(names[:number])}" for number in range(1, len(names) + 1)] * 10


PAGES = {
    "hostile": Recipe(
        frameworks={HOSTILE: 1.0, "torch": 1.2}, workload=HOSTILE, dataset=HOSTILE, reason=HOSTILE, blocks=2,
        stages=("train", "infer"), outcomes={("torch", 1): Outcome.FAILED}, run_findings=(FINDING,), isolation=HOSTILE,
        unavailable=(Unavailable(meter=HOSTILE, reason=HOSTILE, remedy=HOSTILE),),
        machine={**MACHINE, "hostname": HOSTILE, HOSTILE: HOSTILE},
    ),
    "friendly": Recipe(frameworks=FRIENDLY, meter="estimate", prepare=True),
    "serving": replace(GENERATES, blocks=2, seconds=2.0, settings=tuple({"predict_batch_size": n} for n in (1, 8))),
    "empty": Recipe(blocks=0),
    "failed": Recipe(blocks=1, outcomes={(name, 1): Outcome.FAILED for name in ("torch", "tensorflow")}),
}  # fmt: skip

TWO = Recipe(frameworks={"torch": 1.0, "jax": 1.5}, blocks=1, meter="estimate", seconds=6.0)
PROFILED: dict[str, tuple[Recipe, Stacks]] = {
    "profiled": (TWO, a_few),
    "profiled-hostile": (replace(TWO, workload=HOSTILE), hostile),
}

Opened = Callable[..., webdriver.Chrome]
WAIT_S = 20
UNFOLD = "for (const one of document.querySelectorAll('details')) one.open = true"


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Of both stages, with a run that failed and one that is invalid."""
    outcomes = {("keras", 2): Outcome.FAILED, ("torch", 3): Outcome.INVALID}
    frameworks = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.01}
    recipe = Recipe(
        frameworks=frameworks,
        blocks=4,
        noise=0.03,
        stages=("train", "infer"),
        prepare=True,
        outcomes=outcomes,
    )
    return build(tmp_path_factory.mktemp("full") / "c", recipe)


@pytest.fixture(scope="session")
def page(campaign: Campaign) -> Page:
    return Page(render(campaign))


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Name of a page -> its file."""
    folder, files = tmp_path_factory.mktemp("pages"), {}
    for name, recipe in PAGES.items():
        files[name] = folder / f"{name}.html"
        files[name].write_text(render(build(folder / name, recipe)))
    for name, (recipe, stacks) in PROFILED.items():
        files[name] = folder / f"{name}.html"
        files[name].write_text(render(build_profiled(folder / name, recipe, stacks)))
    return files


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    try:
        with chromium(tmp_path_factory.mktemp("profile")) as one:
            yield one
    except LookupError as error:
        pytest.skip(f"no browser to look with: {error}")


@pytest.fixture
def opened(browser: webdriver.Chrome, pages: dict[str, Path]) -> Opened:
    """Opens a page at a width, in light or dark, with nothing left over of the page before; all folds open, or none."""

    def look(name: str, width: int = 1280, mode: str = "light", unfolded: bool = True) -> webdriver.Chrome:
        lit(browser, mode)
        show(browser, pages[name].as_uri(), width)
        if unfolded:
            browser.execute_script(UNFOLD)
        return browser

    return look


def drawn(browser: webdriver.Chrome, number: int = 0) -> WebElement:
    """A flame graph of the page, once the reader has come near."""
    place: WebElement = browser.find_elements(By.CSS_SELECTOR, ".flame")[number]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", place)
    WebDriverWait(browser, WAIT_S).until(lambda _: place.get_attribute("data-live") == "yes")
    return place
