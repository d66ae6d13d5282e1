"""A report on several versions of a framework: each is named, and none is taken for the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.store import Campaign
from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.scrape import SENTENCE, Page

pytestmark = pytest.mark.unhurried

OLDER, NEWER = "tensorflow 2.20.0", "tensorflow 2.21.0"
VERSIONS = {"tensorflow@2.21.0": 0.8, "tensorflow@2.20.0": 1.0}


def built(folder: Path, frameworks: dict[str, float]) -> Campaign:
    return build(folder / "c", Recipe(frameworks=frameworks, blocks=6, stages=("train", "infer")))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(render(built(tmp_path_factory.mktemp("versions"), VERSIONS)))


def test_the_first_lines_name_the_versions_and_the_reference(page: Page) -> None:
    assert page.headings[0] == "What mnist_cnn costs on tensorflow 2.21.0 and 2.20.0"
    assert f"The reference is {OLDER}, the oldest version." in page.text
    sentences = re.findall(SENTENCE, page.html, re.DOTALL)
    assert any(NEWER in one and ">better<" in one and f"the energy of {OLDER}" in one for one in sentences)


@pytest.mark.parametrize("table", ["costs-whole", "costs-stage", "quality-final"])
def test_each_version_has_its_row(page: Page, table: str) -> None:
    for group in (1, 2):
        assert {OLDER, NEWER} == set(page.cells[f"{table}-{group}"])


def test_the_reference_is_not_held_against_itself(page: Page) -> None:
    for group in (1, 2):
        assert {NEWER} == set(page.cells[f"verdict-table-{group}"])


def test_each_version_has_its_column_of_phases_its_epochs_and_its_runs(page: Page) -> None:
    for measure in ("energy_j", "duration_s"):
        assert {"part", OLDER, NEWER} == set(page.cells[f"phases-{measure}-1"]["compile"])
    assert {key.rpartition(" ")[0] for key in page.cells["quality-epochs-1"]} == {OLDER, NEWER}
    assert {row["treatment"].text.strip() for row in page.cells["runs-table"].values()} == {OLDER, NEWER}


def test_every_figure_names_every_version(page: Page) -> None:
    figures = re.findall(r'<figure id="(.*?)">(.*?)</figure>', page.html, re.S)
    assert len(figures) >= 7
    by_version = [(name, figure) for name, figure in figures if not name.startswith("correlations")]
    for name, figure in by_version:
        for panel in re.findall(r"<svg.*?</svg>", figure, re.S):
            assert f">{NEWER}</text>" in panel, name
            assert f">{OLDER}</text>" in panel or name.startswith(("overview", "verdict")), (
                name
            )  # of which it is the line


def test_the_environment_of_each_version_is_described(page: Page) -> None:
    assert len(re.findall(rf"<h4>(?:{OLDER}|{NEWER})</h4>", page.html)) == 2


def test_beside_another_framework_the_title_counts_and_a_reference_needs_its_version(tmp_path: Path) -> None:
    campaign = built(tmp_path, {**VERSIONS, "torch": 1.1})
    page = Page(render(campaign, reference=NEWER))
    assert page.headings[0] == "What mnist_cnn costs on 2 frameworks in 3 versions"
    assert f"The reference is {NEWER}, as you chose." in page.text
    with pytest.raises(UsageError, match="name the version too"):
        render(campaign, reference="tensorflow")
