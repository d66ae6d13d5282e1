"""One chart, one PDF: lists of resources that were written in a random order are sorted in their place."""

from __future__ import annotations

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from reports.drawing import drawn, inline
from reports.pdf_order import in_order
from reports.vega_lite import Chart, channel

ENTRIES = [b"      /gs%d %d 0 R\n" % (number, number + 7) for number in range(5)]


def _page(entries: list[bytes]) -> bytes:
    return (
        b"4 0 obj\n<<\n    /ExtGState <<\n" + b"".join(entries) + b"    >>\n  /Contents 5 0 R\n>>\nendobj\n"
    )


@given(st.permutations(ENTRIES))
def test_any_order_of_entries_comes_out_as_one_of_the_same_length(entries: list[bytes]) -> None:
    assert in_order(_page(entries)) == _page(ENTRIES)


@given(st.binary())
def test_nothing_but_the_order_changes(content: bytes) -> None:
    assert in_order(content) == content
    assert sorted(in_order(_page(ENTRIES[::-1]) + content)) == sorted(_page(ENTRIES) + content)


def test_a_list_of_kids_keeps_its_order() -> None:
    pages = b"<<\n  /Kids [9 0 R\n 4 0 R\n]\n>>\n"
    assert in_order(pages) == pages


def test_a_chart_with_two_opacities_is_the_same_file_each_time() -> None:
    areas = [
        Chart(inline(pd.DataFrame({"x": [0, 1], "y": [low, low + 1]})))
        .mark("area", opacity=opacity)
        .encode(x=channel("x:Q"), y=channel("y:Q"))
        for low, opacity in ((0, 0.2), (1, 0.4), (2, 0.6))
    ]
    chart = drawn(*areas)
    assert len({chart.still("pdf") for _ in range(8)}) == 1
