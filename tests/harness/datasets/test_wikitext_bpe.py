"""WikiText as byte pairs: the official raw text, byte for byte, its model beside it; or refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.datasets import member_streams, official, prepared, wikitext_2_bpe, wikitext_103_bpe
from harness.datasets.byte_pairs import BytePairs
from harness.datasets.wikitext_bpe import MODEL
from harness.errors import DataError
from suite.data import load
from tests.harness.datasets.conftest import Serve
from tests.harness.datasets.official_layout import zipped
from tests.real_sets import RAW, as_official, wikitext_bpe

SMALL = replace(wikitext_2_bpe.SOURCE, expected={}, vocabulary=290)
ARCHIVE = "wikitext-2-raw-v1.zip"
TRAIN = " \n = A cat = \n \n the cat sees 1 @,@ 999 mice – 東京 \n".encode() * 9


def tokens(folder: Path, train: bytes, test: bytes = TRAIN) -> dict[str, np.ndarray]:
    members = {"wikitext-2-raw/wiki.train.raw": train, "wikitext-2-raw/wiki.test.raw": test}
    zipped(folder / ARCHIVE, members)
    SMALL.write(folder, folder)
    return {split: np.load(folder / f"{split}_tokens.npy") for split in ("train", "test")}


def test_the_official_layout_is_fetched_and_prepared(
    real: Callable[[str], Path], home: Path, tmp_path: Path, serve: Serve
) -> None:
    text = (real(RAW) / "wiki.test.raw").read_bytes()
    members = {f"wikitext-103-raw/wiki.{split}.raw": text for split in ("train", "test")}
    zipped(tmp_path / "wikitext-103-raw-v1.zip", members)
    source = as_official(
        replace(wikitext_103_bpe.SOURCE, expected={"train lines": 4358, "test lines": 4358}), tmp_path
    )
    place = prepared.prepare(source, official.download(source, serve(tmp_path)))
    found = load(place).test["tokens"]
    assert found.dtype == np.uint16 and BytePairs(place / MODEL).text(found) == text
    assert 4 < len(text) / len(found) < 5 and np.array_equal(load(place).train["tokens"], found)


def test_tokens_are_read_as_the_text_and_the_record_knows_the_model(
    real: Callable[[str], Path], home: Path, tmp_path: Path
) -> None:
    place = wikitext_bpe(tmp_path)
    data, pairs = load(place), BytePairs(place / MODEL)
    text = (real(RAW) / "wiki.test.raw").read_bytes() + (real(RAW) / "wiki.valid.raw").read_bytes()
    assert pairs.text(data.train["tokens"]) + pairs.text(data.test["tokens"]) == text
    known = json.loads((place / prepared.MANIFEST).read_text())["files"]
    assert known == {MODEL: {"sha256": official.sha256(place / MODEL)}}
    (place / MODEL).write_bytes(b"")
    with pytest.raises(DataError, match=f"{MODEL} is damaged"):
        prepared.verify(place.name)


def test_the_test_text_teaches_nothing(tmp_path: Path) -> None:
    tokens(tmp_path, TRAIN)
    learnt = (tmp_path / MODEL).read_bytes()
    found = tokens(tmp_path, TRAIN, b" zebra" * 99 + b"\n")
    assert (tmp_path / MODEL).read_bytes() == learnt and len(found["test"]) > 99 * 3


def test_where_a_piece_ends_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tokens(tmp_path, TRAIN)
    learnt = (tmp_path / MODEL).read_bytes()
    for piece in (1, 50):
        monkeypatch.setattr(member_streams, "PIECE_BYTES", piece)
        assert all(np.array_equal(array, whole[split]) for split, array in tokens(tmp_path, TRAIN).items())
        assert (tmp_path / MODEL).read_bytes() == learnt


@pytest.mark.parametrize(
    "text",
    [
        TRAIN.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + TRAIN,
        TRAIN + b"\0\xff\xfe \n",
        TRAIN.decode().encode("utf-16"),
    ],
)
def test_bytes_of_any_kind_are_kept_as_they_are(tmp_path: Path, text: bytes) -> None:
    found = tokens(tmp_path, TRAIN, text)["test"]
    ended = text if text.endswith(b"\n") else text + b"\n"
    assert BytePairs(tmp_path / MODEL).text(found) == ended


def test_the_tokens_are_not_taken_for_the_raw_text(tmp_path: Path) -> None:
    zipped(tmp_path / ARCHIVE, {"wikitext-2/wiki.train.tokens": TRAIN})
    with pytest.raises(DataError, match=r"lacks wikitext-2-raw/wiki\.train\.raw"):
        SMALL.write(tmp_path, tmp_path)


def test_other_sizes_than_the_published_are_told_and_nothing_is_prepared(home: Path, tmp_path: Path) -> None:
    tokens(tmp_path, TRAIN)
    source = as_official(replace(wikitext_2_bpe.SOURCE, vocabulary=290), tmp_path)
    with pytest.raises(
        DataError, match="wikitext-2-bpe: read 36 train lines, not 36718 and 36 test lines, not 4358"
    ):
        prepared.prepare(source, tmp_path)
    assert not list((home / "data").iterdir())
