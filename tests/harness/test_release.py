"""What stands beside the code is true of it: versions, links of the pages, their anchors."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from harness import paths

PAGES = sorted(
    [*paths.ROOT.glob("*.md"), *(paths.ROOT / "docs").rglob("*.md"), *paths.ROOT.glob("*/README.md")]
)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([\w-]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """As hosts of repositories make them of headings."""
    words = (re.sub(r"[`*\[\]]|\(\S+\)", "", heading) for heading in HEADING.findall(page.read_text()))
    return {re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(paths.ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text()):
        place = page.parent / target if target else page
        assert place.exists(), f"{page.name} links {target}"
        assert not anchor or anchor in anchors(place), f"{page.name} links #{anchor} of {place.name}"


def test_it_is_cited_by_the_version_that_it_has() -> None:
    told = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    assert told["version"] == project["version"]
    assert told["license"] == project["license"]
    assert {"cff-version", "message", "title", "authors"} <= told.keys()
