"""Translations as rows of subwords: unpacked, a vocabulary learnt, encoded; each step once and in bounded memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np

from harness.datasets import member_streams, sentence_pairs, sgm, subwords, unfinished
from harness.datasets.base import OfficialFile
from harness.datasets.growing import GrowingArray
from harness.datasets.sentence_pairs import Pair
from harness.datasets.sentence_rows import END, REFERENCES, SUBWORDS, TEST_LENGTH, TRAIN_LENGTH
from harness.datasets.subwords import Subwords
from harness.errors import DataError

PAIRS_AT_ONCE = 20_000  # bounds memory
MOST_TIMES_LONGER = 9  # a pair whose sides differ more is no translation; as in Moses' clean-corpus-n.perl


@dataclass(frozen=True)
class Corpus:
    """Of an archive: the member with the sentences, and that with their translations, which are no secret here."""

    archive: str
    source: str
    target: str

    def unpack(self, official: Path, source: Path, target: Path) -> None:
        member_streams.unpack(official / self.archive, {self.source: source, self.target: target})


@dataclass(frozen=True, eq=False)
class Translation:
    """`corpora` are to train on; `test` is in SGML files and has so many pairs; the rest is the vocabulary's."""

    name: str
    title: str
    files: tuple[OfficialFile, ...]
    corpora: tuple[Corpus, ...]
    test: Corpus
    test_pairs: int
    vocabulary: int
    sampled_pairs: int  # at most so many, from which it is learnt: bounds memory

    def write(self, official: Path, place: Path) -> None:
        with unfinished.steps(self.name, self._origin()) as steps:
            corpora = [
                steps.once((f"{number}.source", f"{number}.target"), partial(corpus.unpack, official))
                for number, corpus in enumerate(self.corpora)
            ]
            test = steps.once(("test.source.sgm", "test.target.sgm"), partial(self.test.unpack, official))
            [model] = steps.once((SUBWORDS,), partial(self._learn, corpora))
            rows = steps.once(("train_source.npy", "train_target.npy"), partial(_encode, corpora, model))
            self._write_test(test, model, place)
            for path in (model, *rows):
                path.rename(place / path.name)

    def _origin(self) -> str:
        """What the steps' files are made from."""
        made_from = [*(file.sha256 for file in self.files), self.vocabulary, self.sampled_pairs]
        return hashlib.sha256(repr(made_from).encode()).hexdigest()

    def _learn(self, corpora: Sequence[Sequence[Path]], path: Path) -> None:
        """From every n-th pair, of all corpora alike."""
        lines = sum(map(_lines, (source for source, _ in corpora)))
        one_in = -(-lines // self.sampled_pairs) or 1
        sample = islice(_pairs(corpora), 0, None, one_in)
        subwords.learn(chain.from_iterable(sample), self.vocabulary, path)

    def _write_test(self, test: Sequence[Path], model: Path, place: Path) -> None:
        source, target = map(sgm.sentences, test)
        if {len(source), len(target)} != {self.test_pairs}:
            raise DataError(
                f"{self.name}: {self.test.source} has {len(source)} sentences and {self.test.target} {len(target)}, "
                f"not {self.test_pairs} both"
            )
        for side, sentences in (("source", source), ("target", target)):
            numbers = [_cut(one) for one in Subwords(model).numbers(sentences)]
            np.save(place / f"test_{side}.npy", subwords.rows(numbers, TEST_LENGTH))
        (place / REFERENCES).write_text("".join(f"{one}\n" for one in target), encoding="utf-8")


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(partial(file.read, member_streams.PIECE_BYTES), b""))


def _pairs(corpora: Sequence[Sequence[Path]]) -> Iterator[Pair]:
    return chain.from_iterable(sentence_pairs.cleaned(sentence_pairs.read(*corpus)) for corpus in corpora)


def _encode(corpora: Sequence[Sequence[Path]], model: Path, *paths: Path) -> None:
    """Writes the training rows of source and target, without pairs that are too long or no translations."""
    known = Subwords(model)
    with ExitStack() as stack:
        arrays = [stack.enter_context(GrowingArray(path, np.uint16, (TRAIN_LENGTH,))) for path in paths]
        pairs = _pairs(corpora)
        while some := list(islice(pairs, PAIRS_AT_ONCE)):
            both = zip(*map(known.numbers, zip(*some, strict=True)), strict=True)
            kept = list(zip(*filter(_is_kept, both), strict=True))
            for array, sentences in zip(arrays, kept, strict=False):  # none of either where no pair is kept
                array.append(subwords.rows(sentences, TRAIN_LENGTH))
    if not arrays[0].length:
        raise DataError(f"none of the pairs has at most {TRAIN_LENGTH} subwords")


def _is_kept(pair: tuple[Sequence[int], Sequence[int]]) -> bool:
    shorter, longer = sorted(map(len, pair))
    return longer <= TRAIN_LENGTH and longer <= MOST_TIMES_LONGER * shorter


def _cut(numbers: Sequence[int]) -> Sequence[int]:
    """A longer sentence of the test loses what is before its end."""
    return numbers if len(numbers) <= TEST_LENGTH else [*numbers[: TEST_LENGTH - 1], END]
