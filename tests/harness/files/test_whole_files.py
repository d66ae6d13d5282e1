"""A file is whole or not there, whatever happens while it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.files.whole_files import is_partial_of, replacing, write_text


def test_a_text_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    write_text(place, "first")
    with pytest.raises(UnicodeEncodeError):
        write_text(place, "half of it \udcff")
    assert place.read_text() == "first"
    assert list(tmp_path.iterdir()) == [place]


def test_readers_see_the_file_of_before_until_the_new_one_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    write_text(place, "first")
    with replacing(place) as file:
        file.write(b"second")
        file.flush()
        assert place.read_text() == "first"
    assert place.read_text() == "second"


def test_a_link_of_that_name_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    theirs, place = tmp_path / "theirs", tmp_path / "report.html"
    theirs.write_text("untouched")
    place.symlink_to(theirs)
    write_text(place, "ours")
    assert (place.read_text(), place.is_symlink(), theirs.read_text()) == ("ours", False, "untouched")


def test_a_link_that_waits_where_files_begin_is_not_written_through(tmp_path: Path) -> None:
    """The name that every version before had for a beginning, which a stranger could know."""
    theirs, place = tmp_path / "theirs", tmp_path / "report.html"
    theirs.write_text("untouched")
    (tmp_path / ".report.html.partial").symlink_to(theirs)
    write_text(place, "ours")
    assert (place.read_text(), theirs.read_text()) == ("ours", "untouched")


def test_two_who_write_one_file_at_once_leave_one_of_both_whole(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    with replacing(place) as first, replacing(place) as second:
        first.write(b"first")
        second.write(b"second")
    assert place.read_text() == "first" and list(tmp_path.iterdir()) == [place]


def test_what_a_killed_writer_left_is_known_by_its_name(tmp_path: Path) -> None:
    place = tmp_path / "campaign.json"
    with replacing(place):
        (left,) = tmp_path.iterdir()
        assert is_partial_of(left, place) and not is_partial_of(left, tmp_path / "report.html")
        assert not is_partial_of(place, place)
