"""Numbers of any locale, and tables with the line that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from harness.importers.base import SourceError
from harness.importers.files.text import lines, number, table
from tests.foreign import write

NARROW, HARD = "\u202f", "\u00a0"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("188,753.25", 188753.25),
        ("188.753,25", 188753.25),
        (f"188{NARROW}753,25", 188753.25),
        (f"188{HARD}753.25", 188753.25),
        ("188'753.25", 188753.25),
        ("1,188,753", 1188753.0),
        ("1,88,753.25", 188753.25),
        ("2575,763113276", 2575.763113276),
        ("2575.763113276", 2575.763113276),
        ("0,339", 0.339),
        ("1.234", 1.234),
    ],
)
def test_a_number_reads_the_same_in_every_locale(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["1,234", "12,345", "999,999"])
def test_a_comma_before_three_digits_alone_may_be_either_and_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="may be"):
        number(text)


@pytest.mark.parametrize("text", ["", "abc", "nan", "inf", "1.2.3,4,5", "1.0001.3", "12,34,5"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        number(text)


@given(some.integers(0, 10**12), some.sampled_from([(",", "."), (".", ","), (NARROW, ","), ("'", ".")]))
def test_thousands_and_two_decimals_come_back_to_the_cent(cents: int, marks: tuple[str, str]) -> None:
    """As perf prints joules."""
    thousands, decimal = marks
    text = f"{cents // 100:,}".replace(",", thousands) + f"{decimal}{cents % 100:02d}"
    assert number(text) == cents / 100


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    plain = table(write(tmp_path / "a.csv", "x,y\n1,2\n3,4\n"))
    windows = table(write(tmp_path / "b.csv", "\ufeffx,y\r\n1,2\r\n3,4\r\n"))
    assert (plain.header, plain.columns) == (windows.header, windows.columns)


def test_a_decimal_comma_is_one_where_semicolons_part_the_columns(tmp_path: Path) -> None:
    assert list(table(write(tmp_path / "a.csv", "x;y\n1,5;2\n")).numbers("x")) == [1.5]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "a.csv: the file is empty"),
        ("\n \n", "a.csv: the file is empty"),
        ("x,y\n", "a.csv:1: a header without rows"),
        ("x,y\n1,2\n3,4", "a.csv:3: cut short: the last line has no end"),
        ("x,y\n1,2\n3\n", "a.csv:3: 1 fields, the header has 2: cut short"),
        ("x,y\n1,5,2,5\n", "a.csv:2: 4 fields, the header has 2: cut short, or a decimal comma"),
        ("x,x\n1,2\n", "a.csv:1: two columns have one name"),
        ("x,y\n1,2\n3,four\n", "a.csv:3: y is 'four', no number"),
        ("x,y\n1,nan\n", "a.csv:2: y is 'nan', no number"),
        ("x\n1\n", "a.csv:1: column 'y' is missing"),
    ],
)
def test_a_bad_table_is_named_with_its_line(tmp_path: Path, text: str, line: str) -> None:
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(SourceError) as refused:
        table(path).numbers("y")
    assert line in str(refused.value)


def test_an_unknown_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"a\.csv:1: unknown column 'y'"):
        table(write(tmp_path / "a.csv", "x,y\n1,2\n")).only(["x"])


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(SourceError, match="is not text"):
        lines(tmp_path / "a.txt")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.txt: the file is missing"):
        lines(tmp_path / "gone.txt")
