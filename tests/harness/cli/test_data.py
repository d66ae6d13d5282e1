"""Official files that hold something else: one line that names it, exit code 2, and nothing is prepared."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.datasets import ml_1m, ml_latest_small, official, prepared, sources, wikitext_2
from harness.datasets.base import Source
from tests.harness.datasets.official_layout import zipped
from tests.real_sets import as_official

RATINGS = b"userId,movieId,rating,timestamp\n1,2,3.5,4\n1,3,3.5,NaN\n"
TEXT = b" a <unk> b\xff \n"
CASES: list[tuple[Source, dict[str, bytes], str]] = [
    (ml_latest_small.SOURCE, {"ml-latest-small/ratings.csv": RATINGS}, "line 3"),
    (ml_1m.SOURCE, {"ml-1m/ratings.dat": b"1::2::3::4\n1,2,3,4\n"}, "line 2"),
    (wikitext_2.SOURCE, {"wikitext-2/wiki.train.tokens": TEXT}, "is not UTF-8 text"),
    (wikitext_2.SOURCE, {}, "lacks wikitext-2/wiki.train.tokens"),
]


@pytest.mark.parametrize(("source", "members", "words"), CASES)
def test_content_that_is_wrong_is_one_line(
    refused: Callable[..., str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: Source,
    members: dict[str, bytes],
    words: str,
) -> None:
    zipped(tmp_path / source.files[0].name, members)
    monkeypatch.setitem(sources(), source.name, as_official(source, tmp_path))
    assert words in refused("data", "import", source.name, tmp_path)
    assert not prepared.is_prepared(source.name) and not list((home / "data").iterdir())


def test_an_archive_that_was_cut_is_refused_by_its_checksum(
    refused: Callable[..., str], home: Path, tmp_path: Path
) -> None:
    zipped(tmp_path / "ml-1m.zip", {"ml-1m/ratings.dat": b"1::2::3::4\n"})
    error = refused("data", "import", "ml-1m", tmp_path)
    assert "ml-1m.zip is damaged or another file" in error and ml_1m.SOURCE.files[0].sha256 in error


def test_an_archive_of_the_right_checksum_that_is_none_is_refused(
    refused: Callable[..., str], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "ml-1m.zip", {"ml-1m/ratings.dat": b"1::2::3::4\n" * 99})
    path.write_bytes(path.read_bytes()[:-30])
    file = replace(ml_1m.SOURCE.files[0], sha256=official.sha256(path))
    monkeypatch.setitem(sources(), "ml-1m", replace(ml_1m.SOURCE, files=(file,)))
    assert "is not a whole zip archive" in refused("data", "import", "ml-1m", tmp_path)


def test_what_nobody_may_publish_is_not_fetched_and_one_line_says_how_to_come_by_it(
    refused: Callable[..., str], home: Path
) -> None:
    error = refused("data", "fetch", "imagenet")
    assert "image-net.org" in error and "suite data import imagenet DIR" in error


def test_a_copy_with_a_damaged_photograph_is_one_line_that_names_it(
    refused: Callable[..., str], home: Path, tmp_path: Path
) -> None:
    pytest.importorskip("PIL", reason="Pillow is not installed")
    for split in ("train", "val"):
        (tmp_path / split / "n1").mkdir(parents=True)
        (tmp_path / split / "n1" / "1.JPEG").write_bytes(b"\xff\xd8 no photograph")
    error = refused("data", "import", "imagenet", tmp_path)
    assert "train/n1/1.JPEG is not a whole image" in error and not prepared.is_prepared("imagenet")


def test_without_pillow_one_line_names_it(
    refused: Callable[..., str], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert "python -m pip install pillow" in refused("data", "import", "imagenet", tmp_path)
