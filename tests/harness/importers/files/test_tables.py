"""CSV files, and the line that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.importers.base import SourceError
from harness.importers.files import tables
from harness.importers.files.tables import table
from tests.foreign import write


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


def test_more_lines_than_are_read_are_refused_before_they_are_parted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_LINES", 3)
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert len(table(tmp_path / "x.csv").header) == 2
    (tmp_path / "x.csv").write_text("a,b\n1,2\n\n\n")
    with pytest.raises(SourceError, match="more than the 3 lines"):
        table(tmp_path / "x.csv")
