"""Whoever holds the paper fills in what is not at hand, in the CSV that the command prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.importers.base import SourceError
from harness.studies.base import NO, NOT_AT_HAND, YES, PrintedCell, Reproduction
from harness.studies.matching import Printed
from harness.studies.supplied import with_printed
from tests.foreign import write

FOUND = Reproduction(
    "t",
    "s",
    (
        PrintedCell("5", "a", "share", None, 39.0689, "%"),
        PrintedCell("5", "a", "calls", None, 1551700, ""),
        PrintedCell("5", "b", "share", None, 0.0002, "%"),
        PrintedCell("2", "a", "pkg_j", Printed.of("100"), 100.0, "J"),
    ),
    (),
)


def supplied(tmp_path: Path, **values: str) -> dict[tuple[str, str], str]:
    frame = FOUND.frame().assign(
        published=[values.get(name, "") for name in ("share", "calls", "other", "pkg")]
    )
    path = write(tmp_path / "a.csv", frame.to_csv(index=False))
    return {(one.row, one.column): one.match for one in with_printed(FOUND, path).cells}


def test_rounded_and_cut_values_match_to_their_last_digit(tmp_path: Path) -> None:
    for text in ("39.07", "39.06", "39"):
        assert supplied(tmp_path, share=text)["a", "share"] == YES
    for text in ("39.05", "38", "40", "39.0700"):
        assert supplied(tmp_path, share=text)["a", "share"] == NO


def test_a_bound_is_a_printed_value_too(tmp_path: Path) -> None:
    assert supplied(tmp_path, other="< .001")["b", "share"] == YES
    assert supplied(tmp_path, other="<0.0001")["b", "share"] == NO


def test_what_is_left_empty_stays_open(tmp_path: Path) -> None:
    found = supplied(tmp_path, calls="1551700")
    assert (found["a", "calls"], found["b", "share"]) == (YES, NOT_AT_HAND)


def test_a_value_that_is_at_hand_stands(tmp_path: Path) -> None:
    assert supplied(tmp_path, pkg="5")["a", "pkg_j"] == YES


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("table,row,column,published\n5,a,joules,1\n", "a.csv:2: no cell is named 5, a, joules"),
        (
            "table,row,column,published\n5,a,share,many\n",
            "a.csv:2: published is 'many', no number and no bound such as <0.001",
        ),
        ("table,row,published\n5,a,1\n", "a.csv:1: column 'column' is missing"),
        ("table,row,column,value\n5,a,share,1\n", "a.csv:1: unknown column 'value'"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(SourceError) as refused:
        with_printed(FOUND, write(tmp_path / "a.csv", text))
    assert line in str(refused.value)
