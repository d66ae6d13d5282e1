"""When a cell matches, and what the CSV of a reproduction holds."""

from __future__ import annotations

import pytest

from harness import studies
from harness.errors import UsageError
from harness.studies.base import (
    CELL_COLUMNS,
    NO,
    NOT_AT_HAND,
    NOT_COMPARED,
    YES,
    PrintedCell,
    Reproduction,
    compared,
)
from harness.studies.matching import Printed


@pytest.mark.parametrize(
    ("published", "ours", "within", "match", "rule"),
    [
        (Printed.exactly(100.0), 100.9, 1.0, YES, "within 1"),
        (Printed.exactly(100.0), 101.1, 1.0, NO, ""),
        (Printed.exactly(0.1), 0.1 + 1e-15, 0.0, YES, "exact"),
        (Printed.exactly(0.1), 0.1001, 0.0, NO, ""),
        (Printed.of("0.1"), 0.1001, 0.0, YES, "rounded"),
        (Printed.of("<0.1"), 0.01, 0.0, YES, "bound"),
        (None, 5.0, 1.0, NOT_AT_HAND, ""),
        (Printed.of("100"), None, 1.0, NO, ""),
    ],
)
def test_a_cell_matches_by_a_rule_or_within_its_room(
    published: Printed | None, ours: float | None, within: float, match: str, rule: str
) -> None:
    one = PrintedCell("1", "a", "b", published, ours, "J", within)
    assert (one.match, one.rule) == (match, rule)


def test_an_effect_size_may_be_folded_only_where_it_is_said() -> None:
    """A12 1 printed against 0 was a match for any cell, and .48 against .4727, both within a unit of the last digit."""
    assert PrintedCell("2", "a", "A12", Printed.of("1"), 0.0, "").match == NO
    assert (
        PrintedCell("2", "a", "A12", Printed.of("1"), 0.0, "", folded=True, decimals=1).rule
        == "folded, exact"
    )
    assert PrintedCell("2", "a", "A12", Printed.of("1"), 0.6, "", folded=True, decimals=1).match == NO
    assert PrintedCell("4", "a", "rho", Printed.of(".48"), 0.4727, "").match == NO


def test_a_cell_that_is_not_meant_to_be_the_printed_number_is_not_judged() -> None:
    assert PrintedCell("1", "a", "b", Printed.of("1"), 2.0, "J", compared=False).match == NOT_COMPARED


def test_the_frame_has_empty_cells_for_what_is_unknown() -> None:
    cells = (
        PrintedCell("2", "NCF", "pkg_j", None, 327561.4, "J"),
        PrintedCell("2", "SSD", "pkg_j", Printed.of("185356"), None, "J"),
    )
    frame = Reproduction("t", "s", cells, ()).frame()
    assert list(frame.columns) == CELL_COLUMNS
    assert frame.to_csv(index=False).splitlines()[1:] == [
        "2,NCF,pkg_j,,327561.4,J,not at hand,", "2,SSD,pkg_j,185356,,J,no,"
    ]  # fmt: skip
    assert compared(cells) == "0 of 1 cells match"
    cut = [PrintedCell("2", "a", "b", Printed.of(text), 5.7, "J") for text in ("5", "5", "6")]
    assert compared(cut) == "3 of 3 cells match (2 cut, 1 rounded)"


def test_studies_are_found_by_their_folders() -> None:
    assert set(studies.found()) == {"icse22", "sotillos23", "schep25", "deepgreen25", "smc_mlperf_training40"}


def test_unknown_studies_and_missing_folders_are_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'icse22'"):
        studies.reproduce("icse23", None)
    with pytest.raises(UsageError, match="icse22 needs the folder of its raw files"):
        studies.reproduce("icse22", None)
