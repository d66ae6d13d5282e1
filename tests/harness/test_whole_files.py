"""A file is whole or not there, whatever happens while it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.whole_files import replacing, write_text


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
