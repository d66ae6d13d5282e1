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
    Cell,
    Reproduction,
    compared,
)


@pytest.mark.parametrize(
    ("published", "ours", "within", "match"),
    [
        (100.0, 100.9, 1.0, YES),
        (100.0, 101.1, 1.0, NO),
        (0.1, 0.1 + 1e-15, 0.0, YES),
        (0.1, 0.1001, 0.0, NO),
        (None, 5.0, 1.0, NOT_AT_HAND),
        (100.0, None, 1.0, NO),
    ],
)
def test_a_cell_matches_within_its_room(
    published: float | None, ours: float | None, within: float, match: str
) -> None:
    assert Cell("1", "a", "b", published, ours, "J", within).match == match


def test_a_cell_that_is_not_meant_to_be_the_printed_number_is_not_judged() -> None:
    assert Cell("1", "a", "b", 1.0, 2.0, "J", compared=False).match == NOT_COMPARED


def test_the_frame_has_empty_cells_for_what_is_unknown() -> None:
    cells = (Cell("2", "NCF", "pkg_j", None, 327561.4, "J"), Cell("2", "SSD", "pkg_j", 185356.0, None, "J"))
    frame = Reproduction("t", "s", cells, ()).frame()
    assert list(frame.columns) == CELL_COLUMNS
    assert frame.to_csv(index=False).splitlines()[1:] == [
        "2,NCF,pkg_j,,327561.4,J,not at hand", "2,SSD,pkg_j,185356,,J,no"
    ]  # fmt: skip
    assert compared(cells) == "0 of 1 cells match"


def test_studies_are_found_by_their_folders() -> None:
    assert set(studies.found()) == {"icse22", "sotillos23", "schep25"}


def test_unknown_studies_and_missing_folders_are_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'icse22'"):
        studies.reproduce("icse23", None)
    with pytest.raises(UsageError, match="icse22 needs the folder of its raw files"):
        studies.reproduce("icse22", None)
