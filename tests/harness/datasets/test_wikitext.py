"""WikiText: one run of word numbers, every line with its end, the frequent words first; or refused in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.datasets import member_streams, official, prepared, wikitext_2, wikitext_103
from harness.errors import DataError
from suite.data import load
from tests.harness.datasets.conftest import Serve
from tests.harness.datasets.official_layout import zipped
from tests.real_sets import RESPLIT, as_official, wikitext

ANY_SIZE = replace(wikitext_2.SOURCE, expected={})
TRAIN = b" \n = A b = \n \n a <unk> a c \n"


def tokens(folder: Path, train: bytes, test: bytes = TRAIN) -> dict[str, np.ndarray]:
    zipped(
        folder / "wikitext-2-v1.zip",
        {"wikitext-2/wiki.train.tokens": train, "wikitext-2/wiki.test.tokens": test},
    )
    ANY_SIZE.write(folder, folder)
    return {split: np.load(folder / f"{split}_tokens.npy") for split in ("train", "test")}


def test_the_official_layout_is_fetched_and_prepared(
    real: Callable[[str], Path], home: Path, tmp_path: Path, serve: Serve
) -> None:
    text = (real(RESPLIT) / "wiki.train.tokens").read_bytes()
    members = {f"wikitext-103/wiki.{split}.tokens": text for split in ("train", "test")}
    zipped(tmp_path / "wikitext-103-v1.zip", members)
    known = {"words": 14_143, "train tokens": 245_569, "test tokens": 245_569}  # as published of this file
    source = as_official(replace(wikitext_103.SOURCE, expected=known), tmp_path)
    data = load(prepared.prepare(source, official.download(source, serve(tmp_path))))
    assert np.array_equal(data.train["tokens"], data.test["tokens"])
    assert data.train["tokens"].dtype == np.int32


def test_the_numbers_stand_for_the_words_of_the_real_text_in_their_order(
    real: Callable[[str], Path], home: Path, tmp_path: Path
) -> None:
    found = load(wikitext(tmp_path)).train["tokens"]
    text = "".join((real(RESPLIT) / f"wiki.{one}.tokens").read_text("utf-8") for one in ("train", "valid"))
    words = text.replace("\n", " <eos> ").split()
    counts = Counter(words)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    assert [ranked[number] for number in found.tolist()] == words


def test_every_line_ends_and_unknown_words_have_the_number_of_the_word_unknown(tmp_path: Path) -> None:
    found = tokens(tmp_path, TRAIN, b"a d \n")
    end, a, equals = 0, 2, 1  # 4, 2 and 2 times; equally frequent ones by alphabet
    assert found["train"].tolist() == [end, equals, 4, 5, equals, end, end, a, 3, a, 6, end]
    assert found["test"].tolist() == [a, 3, end]


def test_where_a_piece_ends_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (TRAIN + "ö – 東京 \n".encode()) * 9
    whole = tokens(tmp_path, text)
    for piece in (1, 2, 50):
        monkeypatch.setattr(member_streams, "PIECE_BYTES", piece)
        assert all(np.array_equal(array, whole[split]) for split, array in tokens(tmp_path, text).items())


@pytest.mark.parametrize(
    ("train", "test", "words"),
    [
        (b"a b c\n", TRAIN, r"wikitext-2-v1\.zip: its training text has no <unk>"),
        (b"", TRAIN, "has no <unk>"),
        (TRAIN + b"\xff\n", TRAIN, r"wiki\.train\.tokens is not UTF-8 text"),
        (TRAIN, b"\xc3\n", r"wiki\.test\.tokens is not UTF-8 text"),
    ],
)
def test_what_is_no_such_text_is_named(tmp_path: Path, train: bytes, test: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        tokens(tmp_path, train, test)


def test_the_raw_text_is_not_taken_for_the_tokens(tmp_path: Path) -> None:
    zipped(tmp_path / "wikitext-2-v1.zip", {"wikitext-2-raw/wiki.train.raw": TRAIN})
    with pytest.raises(DataError, match=r"lacks wikitext-2/wiki\.train\.tokens"):
        ANY_SIZE.write(tmp_path, tmp_path)


def test_other_sizes_than_the_published_are_told_and_nothing_is_prepared(home: Path, tmp_path: Path) -> None:
    tokens(tmp_path, TRAIN)
    with pytest.raises(
        DataError, match=r"wikitext-2: read 7 words, not 33278 and 12 train tokens, not 2088628"
    ):
        prepared.prepare(as_official(wikitext_2.SOURCE, tmp_path), tmp_path)
    assert not list((home / "data").iterdir())
