"""Every figure as a file by itself."""

from __future__ import annotations

import re
import struct
from xml.etree import ElementTree

import pandas as pd
import pytest

from harness.analysis.summary import analyse
from reports import figures
from reports.contents import Section, sections_of
from reports.drawing import PIXELS
from reports.parts import Block, Figure, Panel
from reports.stills import FORMS, stills
from reports.theme import WIDTH
from tests.campaigns import Recipe, build

pytestmark = pytest.mark.unhurried


@pytest.fixture(scope="module")
def sections(tmp_path_factory: pytest.TempPathFactory) -> list[Section]:
    campaign = build(tmp_path_factory.mktemp("stills") / "c", Recipe(blocks=2, stages=("train", "infer")))
    return sections_of(analyse(campaign), campaign)


@pytest.mark.parametrize("form", FORMS)
def test_every_chart_of_the_page_is_a_file_and_the_same_one_each_time(
    sections: list[Section], form: str
) -> None:
    files = dict(stills(sections, form))
    assert len(files) == sum(len(figure.panels) for one in sections for _, figure in one.figures) >= 14
    assert "phases-mnist-cnn-train-digits-energy-per-phase." + form in files
    assert all(re.fullmatch(rf"[a-z0-9.-]+\.{form}", name) for name in files)
    assert dict(stills(sections, form)) == files


def test_an_svg_is_whole_and_has_marks(sections: list[Section]) -> None:
    for content in dict(stills(sections, "svg")).values():
        root = ElementTree.fromstring(content)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert [one for one in root.iter() if "mark-" in one.get("class", "")]


def test_a_png_is_fine_enough_for_print(sections: list[Section]) -> None:
    _, content = next(stills(sections, "png"))
    assert content.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">I", content[16:20])[0] == pytest.approx(WIDTH * PIXELS, abs=PIXELS)


def test_a_pdf_is_one_whole_page(sections: list[Section]) -> None:
    _, content = next(stills(sections, "pdf"))
    assert content.startswith(b"%PDF-") and content.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type\s*/Page\b", content)) == 1


def test_figures_that_would_share_a_name_stay_apart(sections: list[Section]) -> None:
    once, twice = dict(stills(sections, "svg")), dict(stills([*sections, *sections], "svg"))
    assert len(twice) == 2 * len(once)


def test_a_long_name_keeps_what_tells_it_from_its_neighbours_and_ends_no_word_early() -> None:
    rows = pd.DataFrame([{"treatment": "a", "epoch": 1, "mean": 2.0}])
    drawn = figures.lines(rows, ["a"], "x")
    panels = tuple(Panel(f"Ratio of {one}", drawn, "") for one in ("energy", "time"))
    title = f"llm · train · synthetic-wikitext · {' · '.join(f'setting_{number} 17' for number in range(20))}"
    section = Section("verdict", "Verdict", {"blocks": [Block("b", title, figure=Figure("f", "", panels))]})
    names = [name for name, _ in stills([section], "svg")]
    assert [name.rpartition("-17-")[2] for name in names] == ["ratio-of-energy.svg", "ratio-of-time.svg"]
    assert all(110 < len(name) <= 130 for name in names)


def test_a_figure_of_time_says_that_the_clock_was_read(sections: list[Section]) -> None:
    told = {
        name: b"clock" in content for name, content in stills(sections, "svg") if name.startswith("verdict")
    }
    assert len(told) == 4 and set(told.values()) == {True, False}
    assert all(says is name.endswith("-time.svg") for name, says in told.items())
