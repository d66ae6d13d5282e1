"""What a stranger named is text in every spreadsheet, and every number is itself."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.exports.csv_text import as_text

FORMULAS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\rx", "\tx", "  =1", "\n@x", "\ufeff=1", "\0=1", "\uff1d1", "\uff0b1",
    "\uff0d1", "\uff201", '=HYPERLINK("http://x")',
]  # fmt: skip


def rows(frame: pd.DataFrame) -> list[list[str]]:
    return list(csv.reader(io.StringIO(as_text(frame), newline="")))


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_carry_out_begins_with_an_apostrophe(text: str) -> None:
    shown = f"'{text}".replace("\r", "\n")
    assert rows(pd.DataFrame({text: [text, "plain"]})) == [[shown], [shown], ["plain"]]


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_no_text_begins_a_row_of_its_own(end: str) -> None:
    assert len(rows(pd.DataFrame({"a": [f"x{end}=1"]}))) == 2


def test_categories_and_mixed_columns_are_no_way_around_it() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["=1", "x"]), "b": pd.Series(["=1", -2.5], dtype=object)})
    assert rows(frame)[1:] == [["'=1", "'=1"], ["x", "-2.5"]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(allow_nan=False), st.integers(-(2**62), 2**62)), min_size=1))
def test_numbers_read_back_exactly(numbers: list[tuple[float, int]]) -> None:
    read = rows(pd.DataFrame(numbers, columns=["a", "b"]))[1:]
    assert [(float(a), int(b)) for a, b in read] == numbers


@settings(deadline=None)
@given(st.lists(st.text(), min_size=1))
def test_no_cell_of_text_begins_as_a_formula(texts: list[str]) -> None:
    read = rows(pd.DataFrame({"name": texts}))
    assert len(read) == len(texts) + 1
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for row in read for cell in row)
