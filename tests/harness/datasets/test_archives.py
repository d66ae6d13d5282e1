"""Archives are read by exact names into memory, and refused in one line when they are not what they should be."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from harness.datasets import archives
from harness.errors import DataError
from tests.harness.datasets.official_layout import tar_gz, zipped

PNG = re.compile(r"cells/[^/]+\.png")
CONTENT = bytes(range(256)) * 100


def read_zip(path: Path, most_bytes: int = 1 << 20) -> dict[str, bytes]:
    return dict(archives.zip_members(path, PNG, most_bytes))


def test_named_members_of_a_tar_are_read_and_others_left(tmp_path: Path) -> None:
    path = tar_gz(tmp_path / "a.tar.gz", {"f/readme": b"no", "f/one": b"1", "f/two": CONTENT})
    assert archives.tar_gz_members(path, ["f/two", "f/one"]) == {"f/one": b"1", "f/two": CONTENT}


def test_matching_members_of_a_zip_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"cells/b.png": b"b", "cells/Thumbs.db": b"no", "cells/a.png": CONTENT})
    assert list(read_zip(path).items()) == [("cells/a.png", CONTENT), ("cells/b.png", b"b")]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_truncated_archive_is_named(tmp_path: Path, share: float) -> None:
    tar, zip_ = tmp_path / "a.tar.gz", tmp_path / "a.zip"
    for path in (tar_gz(tar, {"one": CONTENT}), zipped(zip_, {"cells/a.png": CONTENT})):
        path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(DataError, match=re.escape(str(tar))):
        archives.tar_gz_members(tar, ["one"])
    with pytest.raises(DataError, match=f"{re.escape(str(zip_))} is not a whole zip archive"):
        read_zip(zip_)


def test_a_flipped_byte_of_a_member_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("cells/a.png", CONTENT)
    path.write_bytes(path.read_bytes().replace(b"\x10\x11\x12", b"\x10\xff\x12", 1))
    with pytest.raises(DataError, match="not a whole zip archive"):
        read_zip(path)


@pytest.mark.parametrize("name", ["../outside.png", "/etc/outside.png", "cells/../../outside.png"])
def test_a_member_that_points_out_of_its_archive_is_refused_and_not_written(
    tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "inner" / "archive"
    folder.mkdir(parents=True)
    tar = tar_gz(folder / "a.tar.gz", {name: b"evil", "one": b"1"})
    zip_ = zipped(folder / "a.zip", {name: b"evil", "cells/a.png": b"1"})
    with pytest.raises(DataError, match="points out of it"):
        archives.tar_gz_members(tar, ["one"])
    with pytest.raises(DataError, match="points out of it"):
        read_zip(zip_)
    assert not list(tmp_path.rglob("outside*"))


def test_a_link_in_place_of_a_member_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("one")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path / "secret")
        archive.addfile(link)
    with pytest.raises(DataError, match="lacks one"):
        archives.tar_gz_members(path, ["one"])


def test_a_missing_member_is_named(tmp_path: Path) -> None:
    path = tar_gz(tmp_path / "a.tar.gz", {"one": b"1"})
    with pytest.raises(DataError, match="lacks three, two"):
        archives.tar_gz_members(path, ["one", "two", "three"])


def test_a_member_that_claims_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    entry = tarfile.TarInfo("one")
    entry.size = archives.MOST_MEMBER_BYTES + 1
    with tarfile.open(path, "w:gz") as archive:
        archive.fileobj.write(entry.tobuf())  # type: ignore[union-attr] # a header without its gigabytes
    with pytest.raises(DataError, match="one has 268435457 bytes, more than"):
        archives.tar_gz_members(path, ["one"])


def test_a_bomb_in_a_zip_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"cells/a.png": bytes(10_000_000)})
    assert path.stat().st_size < 20_000
    with pytest.raises(DataError, match=r"cells/a\.png has 10000000 bytes, more than the 1000000"):
        read_zip(path, 1_000_000)


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"cells/a.png": b"1"})
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1  # the flag "encrypted"
    path.write_bytes(content)
    with pytest.raises(DataError, match="encrypted"):
        read_zip(path)


def test_something_else_than_an_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<html>Not found</html>")
    with pytest.raises(DataError, match=r"not a whole tar\.gz archive"):
        archives.tar_gz_members(path, ["one"])
    with pytest.raises(DataError, match="not a whole zip archive"):
        read_zip(path)


def test_what_a_reader_of_members_raises_stays_its_own(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"cells/a.png": b"1"})
    with pytest.raises(io.UnsupportedOperation):
        for _ in archives.zip_members(path, PNG, 100):
            raise io.UnsupportedOperation
