"""Large members come piece by piece, whole lines at a time, and a damaged archive is one line."""

from __future__ import annotations

import errno
import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.datasets import member_streams
from harness.errors import DataError
from tests.harness.datasets.official_layout import tar_gz, zipped

TEXT = b"".join(b"line %d\n" % number for number in range(5000))


@settings(deadline=None)
@given(text=st.text("ab\n\r", max_size=40), piece=st.integers(1, 12))
def test_pieces_are_whole_lines_and_nothing_is_lost(
    text: str, piece: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = text.encode()
    path = zipped(tmp_path_factory.mktemp("zip") / "a.zip", {"f/text": content})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(member_streams, "PIECE_BYTES", piece)
        pieces = list(member_streams.zip_lines(path, "f/text"))
    assert all(one.endswith(b"\n") for one in pieces)
    ended = content if content.endswith(b"\n") or not content else content + b"\n"
    assert b"".join(pieces) == ended


def test_a_line_that_does_not_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_streams, "PIECE_BYTES", 100)
    monkeypatch.setattr(member_streams, "LONGEST_LINE_BYTES", 1000)
    path = zipped(tmp_path / "a.zip", {"text": b"x" * 5000 + b"\n"})
    with pytest.raises(DataError, match=r"a\.zip: text has a line of more than 1000 bytes"):
        list(member_streams.zip_lines(path, "text"))


def test_members_of_a_tar_are_written_where_they_are_wanted(tmp_path: Path) -> None:
    path = tar_gz(
        tmp_path / "a.tgz", {"no": b"", "./d/one": TEXT, "d/two": TEXT[::-1]}
    )  # "./": as some write
    member_streams.unpack(path, {"d/one": tmp_path / "1", "d/two": tmp_path / "2"})
    assert (tmp_path / "1").read_bytes() == TEXT and (tmp_path / "2").read_bytes() == TEXT[::-1]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_an_archive_cut_short_is_named(tmp_path: Path, share: float) -> None:
    tar, zip_ = tar_gz(tmp_path / "a.tgz", {"one": TEXT}), zipped(tmp_path / "a.zip", {"one": TEXT})
    for path in (tar, zip_):
        path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(DataError, match=f"{re.escape(str(tar))} (is not a whole tar.gz archive|lacks one)"):
        member_streams.unpack(tar, {"one": tmp_path / "1"})
    with pytest.raises(DataError, match=f"{re.escape(str(zip_))} is not a whole zip archive"):
        list(member_streams.zip_lines(zip_, "one"))


def test_a_flipped_byte_is_found(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"one": TEXT})
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not a whole zip archive"):
        list(member_streams.zip_lines(path, "one"))


def test_a_member_that_is_not_there_is_named(tmp_path: Path) -> None:
    tar, zip_ = tar_gz(tmp_path / "a.tgz", {"one": TEXT}), zipped(tmp_path / "a.zip", {"one": TEXT})
    with pytest.raises(DataError, match=r"a\.tgz lacks two"):
        member_streams.unpack(tar, {"one": tmp_path / "1", "two": tmp_path / "2"})
    with pytest.raises(DataError, match=r"a\.zip lacks two"):
        list(member_streams.zip_lines(zip_, "two"))


def test_a_link_in_a_tar_is_no_member(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        entry = tarfile.TarInfo("one")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(entry)
    with pytest.raises(DataError, match="lacks one"):
        member_streams.unpack(tmp_path / "a.tgz", {"one": tmp_path / "1"})


def test_a_full_disk_is_not_called_a_damaged_archive(tmp_path: Path) -> None:
    path = tar_gz(tmp_path / "a.tgz", {"one": TEXT})
    with pytest.raises(OSError) as caught:
        member_streams.unpack(path, {"one": Path("/dev/full")})
    assert caught.value.errno == errno.ENOSPC
