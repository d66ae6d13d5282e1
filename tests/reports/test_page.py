"""The page as a document: whole whatever the campaign holds, in need of nothing else, the same bytes again."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import unicodedata
from html import unescape
from pathlib import Path

import pytest

from harness.files.untrusted import HIDDEN, printable
from harness.records import Finding, Outcome
from harness.store import Campaign, load_campaign
from reports import sections
from reports.contents import found_sections
from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.conftest import HOSTILE
from tests.reports.scrape import Page

pytestmark = pytest.mark.unhurried

# Of every page; the others come where there is something to show.
SECTIONS = ["Verdict", "Costs", "Phases", "Quality", "Runs", "Validity", "Provenance"]
EDGES = {
    "no runs": Recipe(blocks=0),
    "no treatments": Recipe(frameworks={}),
    "interrupted": Recipe(blocks=2, unfinished=2),
    "only failed runs": Recipe(
        blocks=1, outcomes={(name, 1): Outcome.FAILED for name in ("torch", "tensorflow")}
    ),
    "one run": Recipe(blocks=1, frameworks={"torch": 1.0}),
    "no energy channel": Recipe(meter=None),
    "one framework": Recipe(frameworks={"torch": 1.0}),
    "missing quality": Recipe(with_quality=False),
    "mixed provenance": Recipe(meters={"tensorflow": "estimate"}),
    "one epoch": Recipe(epochs=1),
    "an empty machine": Recipe(machine={}),
    "versions of which one failed": Recipe(
        frameworks={"jax@0.9.2": 1.0, "jax@0.10.2": 1.0},
        outcomes={("jax@0.9.2", n): Outcome.FAILED for n in (1, 2, 3)},
    ),
}


def hashed(text: str) -> str:
    """As a Content-Security-Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("edge", EDGES)
def test_every_edge_has_a_whole_page_with_all_sections(tmp_path: Path, edge: str) -> None:
    page = Page(render(build(tmp_path / "c", EDGES[edge])))
    assert list(dict.fromkeys(one for one in page.headings if one in SECTIONS)) == SECTIONS
    for word in ("nan", "None", "NaT", "inf "):
        assert not re.search(rf"\b{word}\b", page.text), word
    bodies = re.split(r"<section ", page.html)[1:]
    assert all(re.search(r"<(p|table|figure)\b", body) for body in bodies)


def test_the_page_needs_nothing_else(page: Page) -> None:
    assert not [tag for tag, _ in page.tags if tag in ("iframe", "object", "embed", "form", "base")]
    links = [
        str(value)
        for _, attrs in page.tags
        for name, value in attrs.items()
        if name in ("src", "href", "xlink:href")
    ]
    assert all(link.startswith(("#", "data:,")) for link in links)
    assert not [attrs for _, attrs in page.tags if any(name.startswith(("on", "style")) for name in attrs)]
    assert "@import" not in page.text + "".join(page.styles)
    assert not [one for one in page.styles if "url(" in one]


def test_the_policy_admits_the_scripts_and_the_style_of_this_page_and_nothing_else(page: Page) -> None:
    policy = next(
        str(attrs["content"]) for tag, attrs in page.tags if tag == "meta" and "http-equiv" in attrs
    )
    (script,), (style,), library = page.scripts, page.styles, page.packed("library")
    assert policy == (
        f"default-src 'none'; script-src {hashed(script)} {hashed(library)}; style-src {hashed(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_a_page_without_charts_carries_no_library(tmp_path: Path) -> None:
    empty = Page(render(build(tmp_path / "c", Recipe(blocks=0))))
    assert len(empty.scripts) == 1 and 'id="library"' not in empty.html and len(empty.html.encode()) < 50_000


def test_the_licences_of_the_library_are_on_the_page(page: Page) -> None:
    for words in (
        "University of Washington Interactive Data Lab",
        "Mike Bostock",
        "Redistribution and use in source",
    ):
        assert words in page.packed("library")


def test_every_chart_has_its_numbers_as_a_specification_and_in_a_table(page: Page) -> None:
    figures = re.findall(r'<figure id="(.*?)">(.*?)</figure>', page.html, re.S)
    specifications, drawn = json.loads(page.packed("charts")), list[str]()
    for name, figure in figures:
        drawn += re.findall(r'data-chart="(.*?)"', figure)
        assert set(re.findall(r'href="#(.*?)"', figure)) & set(page.cells), name
    assert sorted(drawn) == sorted(specifications) and len(drawn) > 10
    assert all(one["$schema"].startswith("https://vega.github.io/") for one in specifications.values())


def test_ids_are_unique_and_every_link_has_its_target(page: Page) -> None:
    ids = [str(attrs["id"]) for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = {str(attrs["href"])[1:] for tag, attrs in page.tags if tag == "a"}
    drawings = "".join(re.findall(r"<svg.*?</svg>", page.html, re.S))
    clips = set(re.findall(r"url\(#([^)]*)\)", drawings))
    assert targets | clips <= set(ids)


def test_tables_can_be_read_aloud(page: Page) -> None:
    tags = [tag for tag, _ in page.tags]
    assert tags.count("caption") == tags.count("table") > 10
    assert ("html", {"lang": "en"}) in page.tags
    assert all("scope" in attrs for tag, attrs in page.tags if tag == "th")
    charts = [attrs for _, attrs in page.tags if attrs.get("class") == "chart"]
    assert len(charts) >= 8 and all(attrs["role"] == "img" and attrs["aria-label"] for attrs in charts)


def test_the_same_campaign_gives_the_same_bytes(page: Page, campaign: Campaign) -> None:
    assert render(campaign) == page.html


def test_half_a_surrogate_pair_from_a_worker_does_not_spoil_the_page(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    events = campaign.runs[0].folder / "events.jsonl"
    events.write_text(events.read_text() + '{"t_ns": 1, "kind": "facts", "build": "\\ud800"}\n')
    first = events.read_text().splitlines()
    events.write_text("\n".join([first[-1], *first[:-1]]) + "\n")
    render(load_campaign(campaign.folder)).encode()


def test_a_strangers_text_turns_nothing_round(pages: dict[str, Path]) -> None:
    html = pages["hostile"].read_text()
    charts = re.search(r'<script type="text/plain" id="charts">([^<]+)</script>', html)
    assert charts
    told = json.loads(gzip.decompress(base64.b64decode(charts[1])))
    for text in (html, json.dumps(told, ensure_ascii=False)):
        assert not [one for one in text if one != "\n" and unicodedata.category(one) in HIDDEN]
    assert printable(HOSTILE) in unescape(html)
    assert json.dumps(printable(HOSTILE))[1:-1] in json.dumps(told)


def test_numbers_keep_their_thin_spaces_and_signs(page: Page) -> None:
    assert all(one in page.html for one in "\u202f–×·")


def test_lines_of_a_text_stay_lines(tmp_path: Path) -> None:
    recipe = Recipe(
        blocks=1,
        run_findings=(
            Finding(code="c", severity="warning", message="first\nsecond 1\u202f000 µJ", advice=""),
        ),
    )
    assert "first\nsecond 1\u202f000 µJ" in render(build(tmp_path / "c", recipe))


def test_sections_are_found_not_listed() -> None:
    found = [module.TITLE for module in found_sections()]
    assert [one for one in found if one in SECTIONS] == SECTIONS
    folder = Path(sections.__file__).parent
    assert len(found) == len(list(folder.glob("*.html.j2"))) > len(SECTIONS)
