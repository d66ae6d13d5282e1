"""Charts: legible on both papers, safe with any name, drawn from the numbers."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from reports import figures, theme
from reports.stacked import stacked

STYLE = (Path(figures.__file__).parent / "style.css").read_text()
HOSTILE = "<script>alert(1)</script>\"'&é"


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def colours(name: str) -> list[str]:
    """A custom property's values, light first, dark second."""
    return re.findall(rf"--{name}: (#[0-9a-f]{{6}})", STYLE)[:2]


@pytest.mark.parametrize("paper", colours("paper"))
def test_every_mark_stands_out_from_the_paper(paper: str) -> None:
    assert len(colours("paper")) == 2
    assert min(contrast(colour, paper) for colour in theme.PALETTE) >= 3


def test_series_that_are_no_frameworks_have_greys_and_marks_that_no_framework_has() -> None:
    """On dark paper, whose greys style.css has, as on light: legible, apart, and in the same order of contrast."""
    dark = [
        re.findall(rf'\[(?:fill|stroke)="{one}"\] {{ (?:fill|stroke): (#\w{{6}})', STYLE)
        for one in theme.GREYS
    ]
    assert all(len(found) == 2 and len(set(found)) == 1 for found in dark)
    for paper, greys in zip(colours("paper"), (theme.GREYS, [found[0] for found in dark]), strict=True):
        found = [contrast(grey, paper) for grey in greys]
        assert found == sorted(found, reverse=True) and found[-1] >= 3
        assert min(contrast(*pair) for pair in pairwise(greys)) > 1.2
    assert not set(theme.GREYS) & set(theme.PALETTE) and not set(theme.MARKS) & set(theme.SHAPES)


def test_only_frameworks_have_the_colours_of_frameworks() -> None:
    scopes = pd.DataFrame(
        {
            "treatment": "a",
            "scope": ["whole run", "stage alone"],
            "ratio": [1.1, 1.2],
            "low": 1.0,
            "high": 1.3,
        }
    )
    phases = pd.DataFrame({"treatment": "a", "part": list("pqrstuv"), "value": 1.0, "half": None})
    greys = figures.forest(scopes, ["a"]).svg, stacked(phases, ["a"], list("pqrstuv"), "x").svg
    for svg in greys:
        assert (
            theme.GREYS[0] in svg
            and theme.GREYS[-1] in svg
            and not any(one in svg for one in theme.PALETTE[:-1])
        )
    assert theme.PALETTE[1] in figures.forest(scopes, ["a"], of_frameworks=True).svg


@pytest.mark.parametrize("name", ["ink", "quiet", "accent", "good", "bad"])
def test_every_text_is_readable_on_both_papers(name: str) -> None:
    found = [contrast(ink, paper) for ink, paper in zip(colours(name), colours("paper"), strict=True)]
    assert len(found) == 2 and min(found) >= 4.5


def test_names_are_text_and_never_markup() -> None:
    names = [HOSTILE, "b"]
    frames = {
        stacked: (
            pd.DataFrame({"treatment": names, "part": ["p", "p"], "value": [1.0, 2.0], "half": [0.1, None]}),
            names,
            ["p"],
            "x",
        ),
        figures.lines: (
            pd.DataFrame({"treatment": names, "epoch": [1, 1], "mean": [1.0, float("inf")]}),
            names,
            "x",
        ),
        figures.dots: (pd.DataFrame({"treatment": names, "block": [1, 1], "value": [1.0, None]}), names, "x"),
    }
    for draw, arguments in frames.items():
        drawing = draw(*arguments)  # type: ignore[operator]
        assert "&lt;script&gt;" in drawing.svg and "<script" not in drawing.svg


@pytest.mark.parametrize("ratio", [0.93, 0.5, 1.07, 3.0])
def test_every_line_of_the_ratios_axis_has_its_number(ratio: float) -> None:
    rows = pd.DataFrame(
        {"treatment": ["a", "b"], "scope": "run", "ratio": [ratio, 1.0], "low": None, "high": None}
    )
    axis = figures.forest(rows, ["a", "b"]).svg.partition("role-axis-label")[2].partition("</g>")[0]
    shown = re.findall(r"<text[^>]*>[^<]+</text>", axis)
    assert len(shown) == axis.count("<text") >= 2


def test_drawings_have_no_names_that_could_meet_on_a_page() -> None:
    rows = pd.DataFrame({"treatment": ["a"], "epoch": [1], "mean": [1.0]})
    assert " id=" not in figures.lines(rows, ["a"], "x").svg


def test_a_ratio_without_an_interval_is_a_hollow_mark() -> None:
    rows = pd.DataFrame([
        {"treatment": "a", "scope": "whole run", "ratio": 1.1, "low": 1.0, "high": 1.2},
        {"treatment": "b", "scope": "whole run", "ratio": 1.4, "low": None, "high": None},
    ])  # fmt: skip
    svg = figures.forest(rows, ["a", "b"]).svg
    marks = re.findall(r"<path[^>]*>", svg[svg.rindex("mark-symbol role-mark") :])
    assert ['fill-opacity="0"' in one for one in marks[:2]] == [False, True]
    assert all(f'stroke="{theme.GREYS[0]}"' in one for one in marks[:2])
