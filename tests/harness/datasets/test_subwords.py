"""One vocabulary for both languages: the same on every run, and what was encoded can be read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

from harness.datasets import subwords
from harness.datasets.sentence_rows import BEGIN, END, PADDING, UNKNOWN
from harness.errors import DataError

TEXT = [f"the {a} sees the {b}" for a in ("cat", "dog", "bird") for b in ("house", "mouse", "tree")]


def learnt(folder: Path, text: list[str], vocabulary: int) -> Path:
    subwords.learn(text, vocabulary, folder / "subwords.model")
    return folder / "subwords.model"


def test_the_same_text_gives_the_same_bytes(real: Callable[[str], Path], tmp_path: Path) -> None:
    text = (real("wmt16-en-de") / "newstest2013.en").read_text(encoding="utf-8").split("\n")
    first = learnt(tmp_path, text, 1000).read_bytes()
    assert learnt(tmp_path, text, 1000).read_bytes() == first
    assert learnt(tmp_path, text[::2], 1000).read_bytes() != first


def test_numbers_are_read_again_as_the_sentence(real: Callable[[str], Path], tmp_path: Path) -> None:
    text = (real("wmt16-en-de") / "newstest2013.de").read_text(encoding="utf-8").split("\n")[:-1]
    path = learnt(tmp_path, text, 1500)
    numbers = subwords.Subwords(path).numbers(text)
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    known = [(one, sentence) for one, sentence in zip(numbers, text, strict=True) if UNKNOWN not in one]
    assert len(known) > 0.95 * len(text)
    assert all(model.decode(one[:-1]) == " ".join(sentence.split(" ")) for one, sentence in known)
    assert all(one[-1] == END and not {BEGIN, PADDING, END} & set(one[:-1]) for one in numbers)
    assert max(map(max, numbers)) < 1500


def test_the_first_numbers_are_those_agreed(tmp_path: Path) -> None:
    model = sentencepiece.SentencePieceProcessor(model_file=str(learnt(tmp_path, TEXT, 40)))
    assert (model.pad_id(), model.unk_id(), model.bos_id(), model.eos_id()) == (PADDING, UNKNOWN, BEGIN, END)
    assert subwords.Subwords(tmp_path / "subwords.model").numbers(["\u4eac"])[0][-2:] == [UNKNOWN, END]


def test_rows_are_padded_behind() -> None:
    rows = subwords.rows([[5, 6, 3], [3], [7, 8, 9, 10]], 4)
    assert rows.tolist() == [[5, 6, 3, 0], [3, 0, 0, 0], [7, 8, 9, 10]] and rows.dtype == np.uint16


def test_a_text_too_small_for_its_vocabulary_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a vocabulary of 5000 subwords cannot be learnt") as caught:
        learnt(tmp_path, TEXT, 5000)
    assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="a vocabulary of 50 subwords cannot be learnt"):
        learnt(tmp_path, [], 50)
