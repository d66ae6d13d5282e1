"""The site of docs/: every page has its place, links hold where pages lie otherwise, and nothing comes from afar."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from harness import paths

SITE = paths.ROOT / "docs" / "site"
ASSEMBLE: dict[str, Any] = runpy.run_path(str(SITE / "assemble.py"))
LOADED = runpy.run_path(str(SITE / "loads_nothing.py"))["loaded"]


def test_every_page_is_in_the_navigation_once() -> None:
    parts = tomllib.loads((SITE / "navigation.toml").read_text())
    listed = sorted(page for pages in parts.values() for page in pages)
    pages = [ASSEMBLE["place_on_site"](path) for path in ASSEMBLE["sources"]() if path.endswith(".md")]
    assert [*listed, "index.md"] == [*sorted(set(pages) - {"index.md"}), "index.md"]


@pytest.mark.parametrize(
    ("page", "link", "on_site"),
    [
        ("README.md", "[meters](docs/meters.md#idle)", "[meters](meters.md#idle)"),
        ("README.md", "[![a](docs/a.webp)](docs/report.md)", "[![a](a.webp)](report.md)"),
        ("docs/meters.md", "[safe](../SECURITY.md)", "[safe](security.md)"),
        ("docs/howto/meter.md", "[all](../meters.md#idle)", "[all](../meters.md#idle)"),
        ("ansible/README.md", "[host](../docs/host.md)", "[host](host.md)"),
        ("SECURITY.md", "see [the file](compose/suite.yaml), then", "see the file, then"),
        ("docs/meters.md", "[far](https://example.org/a) [here](#idle)", "[far](https://example.org/a) [here](#idle)"),
    ],
)  # fmt: skip
def test_a_link_leads_to_the_same_page_on_the_site(page: str, link: str, on_site: str) -> None:
    assert ASSEMBLE["turned"](link, page) == on_site


def test_all_pages_are_gathered_with_links_that_lead_somewhere(tmp_path: Path) -> None:
    ASSEMBLE["assemble"](tmp_path / "site")
    for page in (tmp_path / "site").rglob("*.md"):
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links {target}"


@pytest.mark.parametrize(
    "text",
    ['<script src="https://cdn.example.org/a.js"></script>', "<img alt='' src='//example.org/a.png'>", "@import url(https://example.org/a.css);"],
)  # fmt: skip
def test_what_a_page_would_load_from_afar_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.html").write_text('<a href="https://example.org">a reader may go there</a>')
    assert not list(LOADED(tmp_path))
    (tmp_path / "b.css").write_text(text)
    assert len(list(LOADED(tmp_path))) == 1
