"""What a hostile or unlucky user gives: one line with cause and remedy, exit code 2, and nothing half-written."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from harness.datasets import ml_1m, ml_latest_small, movielens, prepared, sources, wikitext_2, wikitext_2_bpe
from harness.datasets.base import Source
from tests.harness.cli.conftest import refused, suite  # noqa: F401 - fixtures
from tests.harness.datasets.official_layout import zipped
from tests.harness.datasets.test_movielens import HEADER, LINES, REST
from tests.harness.datasets.test_translation import ENGLISH, GERMAN, archives
from tests.real_sets import as_official

Refused = Callable[..., str]
Imported = Callable[[Source, str, bytes], str]
ANY_CSV = replace(ml_latest_small.SOURCE, expected={})
ANY_COLONS = replace(ml_1m.SOURCE, expected={})
ANY_TEXT = replace(wikitext_2.SOURCE, expected={})
BYTES, RAW_TEXT = wikitext_2_bpe.SOURCE, "wikitext-2-raw/wiki.train.raw"
CSV = HEADER + LINES + REST
COLONS = (LINES + REST).replace(b",", b"::").replace(b".0", b"").replace(b".5", b"")
TEXT = b" a <unk> b \n"


@pytest.fixture
def imported(refused: Refused, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Imported:  # noqa: F811
    """A function (source, member, content) -> what is said of an archive of this alone, which must be refused."""

    def give(source: Source, member: str, content: bytes) -> str:
        zipped(tmp_path / source.files[0].name, {member: content})
        monkeypatch.setitem(sources(), source.name, as_official(source, tmp_path))
        said = refused("data", "import", source.name, tmp_path)
        assert f"nothing was prepared: get the official files by suite data fetch {source.name}" in said
        assert not list((home / "data").iterdir())
        return said

    return give


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"4,105,9.5,10", "line 247 is no rating"),
        (b"4,105,0,10", "line 247 is no rating"),
        (b"4,105,3.7,10", "line 247 is no rating"),
        (b"4,0,3.0,10", "line 247 is no rating"),
        (b"4,105,-1,10", "line 247 is not 4 plain numbers"),
        (b"4,105,nan,10", "line 247 is not 4 plain numbers"),
        (b"-4,105,3.0,10", "line 247 is not 4 plain numbers"),
        (b"0x4,105,3.0,10", "line 247 is not 4 plain numbers"),
        (b" 4,105,3.0,10", "line 247 is not 4 plain numbers"),
        (b"4.5,105,3.0,10", "line 247"),
        (b"bob,105,3.0,10", "line 247"),
        (b"4,1\x005,3.0,10", "line 247"),
        (b"4,105,3.0", "line 247"),
        (b"5,210,3.0,10", "user 5 has one rating"),
        (LINES.splitlines()[0], "has rated item number 0 twice"),
    ],
)
def test_a_line_that_is_no_rating(imported: Imported, line: bytes, words: str) -> None:
    assert words in imported(ANY_CSV, ANY_CSV.member, CSV + line + b"\n")


@pytest.mark.parametrize(
    "content", [b"", HEADER, b"\xef\xbb\xbf" + CSV, CSV.decode().encode("utf-16"), CSV.replace(b"\n", b"\r")]
)
def test_a_file_of_ratings_that_is_none(imported: Imported, content: bytes) -> None:
    assert ANY_CSV.member in imported(ANY_CSV, ANY_CSV.member, content)


@pytest.mark.parametrize("line", [b"4:1:105:2:3:5:10", b"4:105:3:10", b"4::105::6::10", b"4::105::3::10::"])
def test_colons_that_do_not_part_four_numbers(imported: Imported, line: bytes) -> None:
    assert "line 246" in imported(ANY_COLONS, ANY_COLONS.member, COLONS + line + b"\n")


def test_a_byte_order_mark_is_no_user(imported: Imported) -> None:
    assert "line 1 is not 4 plain" in imported(ANY_COLONS, ANY_COLONS.member, b"\xef\xbb\xbf" + COLONS)


def test_a_user_who_rated_everything_leaves_nothing_to_test(imported: Imported) -> None:
    everything = HEADER + b"".join(b"1,%d,3.0,5\n" % film for film in range(1, 200))
    said = imported(ANY_CSV, ANY_CSV.member, everything + b"2,5,3.0,4\n2,6,3.0,5\n")
    assert "leaves 0 items unrated, the test needs 99" in said


def test_lines_that_end_as_on_windows_are_the_same_ratings(tmp_path: Path) -> None:
    found = [
        ANY_CSV.arrays(zipped(tmp_path / "ml-latest-small.zip", {ANY_CSV.member: content}).parent)
        for content in (CSV, CSV.replace(b"\n", b"\r\n"))
    ]
    assert all((found[0][name] == found[1][name]).all() for name in found[0])


@pytest.mark.parametrize("content", [b"", b"a b c\n", TEXT + b"\xff\n", TEXT.decode().encode("utf-16")])
def test_a_text_that_is_none(imported: Imported, content: bytes) -> None:
    assert "wikitext-2-v1.zip" in imported(ANY_TEXT, "wikitext-2/wiki.train.tokens", content)


@pytest.mark.parametrize("content", [b"", b"x", TEXT, b"\r\n" * 99, TEXT.decode().encode("utf-16")])
def test_a_text_too_small_for_its_byte_pairs(imported: Imported, content: bytes) -> None:
    assert "a vocabulary of 8192 subwords cannot be learnt" in imported(BYTES, RAW_TEXT, content)


def test_a_line_of_a_hundred_megabytes_is_no_text(imported: Imported) -> None:
    assert "has a line of more than 16777216 bytes" in imported(BYTES, RAW_TEXT, b"x" * 100_000_000)


@pytest.mark.parametrize("kept", [0, 1, 0.5, -1])
def test_an_archive_that_was_cut(
    refused: Refused,  # noqa: F811
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kept: float,
) -> None:
    path = zipped(tmp_path / "ml-latest-small.zip", {ANY_CSV.member: CSV})
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole)) if 0 < kept < 1 else int(kept)])
    monkeypatch.setitem(sources(), ANY_CSV.name, as_official(ANY_CSV, tmp_path))
    assert "is not a whole zip archive" in refused("data", "import", ANY_CSV.name, tmp_path)
    assert not list((home / "data").iterdir())


@contextmanager
def room_for(size_bytes: int) -> Iterator[None]:
    """No file may grow beyond: what is written then ends as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_nothing_of_ratings_behind(
    refused: Refused,  # noqa: F811
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    zipped(tmp_path / "ml-latest-small.zip", {ANY_CSV.member: CSV})
    monkeypatch.setitem(sources(), ANY_CSV.name, as_official(ANY_CSV, tmp_path))
    with room_for(500):
        said = refused("data", "import", ANY_CSV.name, tmp_path)
    assert "cannot be written" in said and "make room there" in said
    assert not list((home / "data").iterdir())


@pytest.mark.parametrize("room_bytes", [400, 9000])  # the model, of 5 KB, does not fit, or the tokens do not
def test_a_full_disk_leaves_nothing_of_byte_pairs_behind(
    refused: Refused,  # noqa: F811
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    room_bytes: int,
) -> None:
    text = TEXT * 3000
    zipped(tmp_path / BYTES.files[0].name, {RAW_TEXT: text, RAW_TEXT.replace("train", "test"): text})
    small = replace(BYTES, vocabulary=258, expected={})
    monkeypatch.setitem(sources(), small.name, as_official(small, tmp_path))
    with room_for(room_bytes):
        said = refused("data", "import", small.name, tmp_path)
    assert "cannot be written" in said and "make room there" in said
    assert not list((home / "data").iterdir())


def test_a_full_disk_is_told_of_a_translation_which_then_goes_on(
    refused: Refused,  # noqa: F811
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = archives(tmp_path, ENGLISH, GERMAN)
    monkeypatch.setitem(sources(), source.name, source)
    with room_for(400):
        assert "make room there" in refused("data", "import", source.name, tmp_path)
    assert not prepared.is_prepared(source.name)
    assert prepared.prepare(source, tmp_path).is_dir()


def test_what_was_interrupted_is_prepared_by_the_next_call(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zipped(tmp_path / "ml-latest-small.zip", {ANY_CSV.member: CSV})
    source = as_official(ANY_CSV, tmp_path)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(movielens, "leave_one_out", interrupted)
        prepared.prepare(source, tmp_path)
    assert not list((home / "data").iterdir())
    prepared.prepare(source, tmp_path)
    prepared.verify(source.name)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt
