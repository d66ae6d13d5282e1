"""BLEU is sacrebleu's, of the text that a data set's own subwords make of numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from harness.judges import judge_of
from harness.judges.bleu import sentence

TEXTS = [
    "The cat sat on the mat, and the dog lay beside it.",
    "Nobody knows what the measured program computed.",
    "A house stands near the river; its windows are open.",
] * 20


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """References, and subwords with the numbers that all data sets give to padding, unknown, begin and end."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "references.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    with (folder / "subwords.model").open("wb") as model:
        SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS),
            model_writer=model,
            vocab_size=44,
            pad_id=0,
            unk_id=1,
            bos_id=2,
            eos_id=3,
            minloglevel=2,
        )
    return folder


def rows(data: Path, texts: list[str], length: int = 80) -> np.ndarray:
    words = SentencePieceProcessor(model_file=str(data / "subwords.model"))
    found = np.zeros((len(texts), length), np.int32)
    for row, text in zip(found, texts, strict=True):
        numbers = [*words.encode(text), 3]
        row[: len(numbers)] = numbers
    return found


def test_it_is_what_sacrebleu_says_of_the_texts(data: Path) -> None:
    others = [text.replace("the", "a").replace("computed", "did") for text in TEXTS]
    judge = judge_of("bleu", data)
    assert judge.judge({"tokens": rows(data, TEXTS)}) == pytest.approx(100.0)
    expected = sacrebleu.corpus_bleu(others, [TEXTS]).score
    assert 20 < expected < 95
    assert judge.judge({"tokens": rows(data, others)}) == pytest.approx(expected)
    assert "|tok:13a|smooth:exp|" in judge.how


def test_what_stands_behind_the_end_is_no_part_of_a_sentence(data: Path) -> None:
    tokens = rows(data, TEXTS)
    noise = np.random.default_rng(1).integers(4, 44, tokens.shape)
    ended = np.cumsum(tokens == 3, axis=1) > 0
    judge = judge_of("bleu", data)
    assert judge.judge({"tokens": np.where(ended & (tokens == 0), noise, tokens)}) == pytest.approx(100.0)
    assert judge.judge({"tokens": np.where(tokens == 3, 9, tokens)}) < 100


def test_padding_and_begin_are_no_words_and_unknown_is_one() -> None:
    assert sentence(np.array([2, 7, 0, 1, 9, 3, 8, 3])) == [7, 1, 9]
    assert sentence(np.array([7, 8])) == [7, 8]


def test_a_number_beyond_the_subwords_is_refused(data: Path) -> None:
    tokens = rows(data, TEXTS)
    tokens[3, 0] = 44
    with pytest.raises(ValueError, match="beyond the 44 subwords"):
        judge_of("bleu", data).judge({"tokens": tokens})


def test_without_subwords_words_are_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "references.txt").write_text("14 5 6 7 8\n9 8 7 6 5\n")
    tokens = np.array([[14, 5, 6, 7, 8, 3], [9, 8, 7, 6, 5, 3]])
    assert judge_of("bleu", tmp_path).judge({"tokens": tokens}) == pytest.approx(100.0)
    assert judge_of("bleu", tmp_path).judge({"tokens": tokens[::-1]}) < 10
