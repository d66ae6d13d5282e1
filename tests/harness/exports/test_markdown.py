"""Markdown shows a stranger's names as they are, and obeys none of them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from harness.exports.markdown import folded, plain, table

ANYTHING = st.text(max_size=40)


@given(ANYTHING)
def test_any_text_stays_one_cell_of_one_line(text: str) -> None:
    lines = table({"a": [text, "x"], "b": ["1", "2"]}).split("\n")
    assert len(lines) == 4
    assert [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines] == [3, 3, 3, 3]


@given(ANYTHING)
def test_nothing_that_markdown_obeys_is_bare(text: str) -> None:
    told = re.sub(r"\\.", "", plain(text))
    assert not set(told) & set("`*_[]<>#|~!@&\\")
    assert "\n" not in told and "\x1b" not in told


def test_nobody_is_called_and_no_picture_is_fetched() -> None:
    assert plain("@everyone ![x](http://a/b.png) <img src=x>") == (
        r"\@everyone \!\[x\](http://a/b.png) \<img src=x\>"
    )


def test_what_says_nothing_is_left_out() -> None:
    assert table({"a": ["1"], "empty": [""]}) == "| a |\n|---|\n| 1 |"
    assert folded("doubts", []) == ""
    assert "- it was \\*warm\\*" in folded("doubts", ["it was *warm*"])
