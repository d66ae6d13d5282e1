"""A store that others share: what is there is never written over, and what comes from there is bounded."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import fsspec
import pytest

from harness import paths
from harness.errors import CampaignError, MissingPrerequisite, UsageError
from harness.files import object_store

WRITER = """
import sys
from pathlib import Path
from harness.files import object_store
mine = Path(sys.argv[1])
sys.stdin.read(1)  # until all have come so far
print(object_store.put_new(mine, sys.argv[2]))
"""


@pytest.fixture(params=["memory", "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A folder in a store of each kind that needs no server."""
    yield "memory://shared/study" if request.param == "memory" else f"file://{tmp_path}/shared/study"
    fsspec.filesystem("memory").store.clear()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "bundle"
    place.write_bytes(bytes(range(256)) * 9000)
    return place


def test_a_file_comes_back_as_it_was_put(url: str, file: Path, tmp_path: Path) -> None:
    assert object_store.put_new(file, f"{url}/a.tar.gz")
    object_store.get(f"{url}/a.tar.gz", tmp_path / "back", 1 << 30)
    assert (tmp_path / "back").read_bytes() == file.read_bytes()


def test_what_is_there_is_never_written_over(url: str, file: Path, tmp_path: Path) -> None:
    object_store.put_new(file, f"{url}/a.tar.gz")
    assert not object_store.put_new(file, f"{url}/a.tar.gz")
    (other := tmp_path / "other").write_bytes(b"other")
    with pytest.raises(UsageError, match="is there already, and is not this file"):
        object_store.put_new(other, f"{url}/a.tar.gz")
    object_store.get(f"{url}/a.tar.gz", tmp_path / "back", 1 << 30)
    assert (tmp_path / "back").read_bytes() == file.read_bytes()


def test_a_store_that_forgets_to_refuse_is_asked_first(
    url: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers that speak S3 and do not know If-None-Match write over a file in mode "xb"."""
    object_store.put_new(file, f"{url}/a.tar.gz")
    (other := tmp_path / "other").write_bytes(b"other")
    kind = type(fsspec.core.url_to_fs(url)[0])
    really = kind.open
    monkeypatch.setattr(
        kind, "open", lambda self, path, mode="rb", **more: really(self, path, mode.replace("x", "w"), **more)
    )
    with pytest.raises(UsageError, match="is there already, and is not this file"):
        object_store.put_new(other, f"{url}/a.tar.gz")
    assert not object_store.put_new(file, f"{url}/a.tar.gz")
    object_store.get(f"{url}/a.tar.gz", tmp_path / "back", 1 << 30)
    assert (tmp_path / "back").read_bytes() == file.read_bytes()


def test_of_writers_at_once_one_wins_and_nothing_is_mixed(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    url, files = f"file://{tmp_path}/store/a", [tmp_path / f"mine-{number}" for number in range(3)]
    for number, mine in enumerate(files):
        mine.write_bytes(bytes([number]) * 2_000_000)
    writers = [_writer(mine, url) for mine in files]
    for one in writers:
        one.stdin.write(b".")  # type: ignore[union-attr]
        one.stdin.flush()  # type: ignore[union-attr]
    said = [one.communicate(timeout=60)[0].strip() for one in writers]
    assert said.count(b"True") == 1
    winner = files[said.index(b"True")]
    assert (tmp_path / "store" / "a").read_bytes() == winner.read_bytes()


def _writer(mine: Path, url: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", WRITER, str(mine), url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(words, cwd=paths.ROOT, **pipes)


def test_what_is_broken_off_leaves_no_half(url: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(source: BinaryIO, target: BinaryIO, _: int) -> None:
        target.write(source.read(1000))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(shutil, "copyfileobj", half)
        object_store.put_new(file, f"{url}/a.tar.gz")
    assert object_store.put_new(file, f"{url}/a.tar.gz")


def test_a_store_that_may_write_over_a_file_gets_none(file: Path) -> None:
    with pytest.raises(UsageError, match="is not written to"):
        object_store.put_new(file, "simplecache::memory://shared/a")


def test_a_folder_is_listed_by_name_and_nothing_but_such_files(url: str, file: Path) -> None:
    for name in ("b.tar.gz", "a.tar.gz", "notes.txt", "deeper/c.tar.gz"):
        object_store.put_new(file, f"{url}/{name}")
    found = object_store.names_in(url, ".tar.gz")
    assert [one.rpartition("/")[2] for one in found] == ["a.tar.gz", "b.tar.gz"]
    assert all(object_store.is_url(one) for one in found)


def test_more_than_is_asked_for_is_not_read(url: str, file: Path, tmp_path: Path) -> None:
    object_store.put_new(file, f"{url}/a")
    with pytest.raises(CampaignError, match="larger than the 5000 bytes"):
        object_store.get(f"{url}/a", tmp_path / "back", 5000)
    assert (tmp_path / "back").stat().st_size <= 5000


def test_more_files_than_are_read_are_refused(url: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "MOST_FILES", 1)
    for name in ("a.tar.gz", "b.tar.gz"):
        object_store.put_new(file, f"{url}/{name}")
    with pytest.raises(UsageError, match="more than the 1 files"):
        object_store.names_in(url, ".tar.gz")


def test_a_name_that_a_url_would_part_is_refused(url: str, file: Path) -> None:
    """fsspec would read what stands behind as a store of its own."""
    system, path = fsspec.url_to_fs(url)
    system.makedirs(path)
    with file.open("rb") as source, system.open(f"{path}/a::b.tar.gz", "xb") as target:
        target.write(source.read())
    with pytest.raises(UsageError, match=r"holds a::b\.tar\.gz, which no URL can name"):
        object_store.names_in(url, ".tar.gz")


def test_a_disk_without_room_is_not_the_store_s_fault(url: str, file: Path, tmp_path: Path) -> None:
    object_store.put_new(file, f"{url}/a")
    with pytest.raises(CampaignError, match=r"cannot be kept in .*none: .*TMPDIR names another folder"):
        object_store.get(f"{url}/a", tmp_path / "none" / "back", 1 << 30)


def test_a_store_s_own_words_tell_no_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(url: str) -> None:
        raise OSError(f"403 of {url}")

    monkeypatch.setattr(object_store, "url_to_fs", refuses)
    with pytest.raises(CampaignError, match=r"^ftp://…@h/x cannot be reached: 403 of ftp://…@h/x$"):
        object_store.get("ftp://me:word@h/x", tmp_path / "back", 1)


@pytest.mark.parametrize("name", ["nothing", "nothing/deeper"])
def test_what_is_not_there_is_said(url: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match=r"nothing.* does not exist"):
        object_store.get(f"{url}/{name}", tmp_path / "back", 1)
    with pytest.raises((CampaignError, UsageError), match="nothing"):
        object_store.names_in(f"{url}/{name}", ".tar.gz")


def test_a_kind_of_store_that_nobody_knows_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nonsense://x is not understood"):
        object_store.get("nonsense://x", tmp_path / "back", 1)


def test_a_package_that_a_store_needs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(MissingPrerequisite, match="s3fs"):
        object_store.get("s3://bucket/x", tmp_path / "back", 1)


def test_whatever_a_store_s_library_raises_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forbidden(Exception): ...

    def refuses(*given: object, **named: object) -> None:
        raise Forbidden("403\nnobody may")

    monkeypatch.setattr(fsspec.filesystem("memory"), "open", refuses)
    with pytest.raises(CampaignError, match="cannot be reached: 403 nobody may"):
        object_store.get("memory://x", tmp_path / "back", 1)
