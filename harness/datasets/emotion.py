"""Emotion (Saravia et al. 2018): 16 000 + 2 000 English sentences and one of six emotions each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from harness.datasets import parts, tokens
from harness.datasets.base import Array, Labels, OfficialFile
from harness.datasets.synthetic import SyntheticSentences
from harness.errors import DataError

EMOTIONS = ("sadness", "joy", "love", "anger", "fear", "surprise")
VOCABULARY = 10_000  # word numbers, padding and unknown among them; 98.3 % of the training words are known
LENGTH = 66  # words of the longest training sentence: none is cut


class Emotion:
    name = "emotion"
    title = "Emotion (CARER), official training and test files, as word numbers"
    # Sizes and SHA-256 as in huggingface/datasets, datasets/emotion/dataset_infos.json
    files = (
        OfficialFile(
            "train.txt",
            "https://www.dropbox.com/s/1pzkadrvffbqw6o/train.txt?dl=1",
            "3ab03d945a6cb783d818ccd06dafd52d2ed8b4f62f0f85a09d7d11870865b190",
            1658616,
        ),
        OfficialFile(
            "test.txt",
            "https://www.dropbox.com/s/ikkqxfdbdec3fuj/test.txt?dl=1",
            "60f531690d20127339e7f054edc299a82c627b5ec0dd5d552d53d544e0cfcc17",
            206760,
        ),
    )

    def arrays(self, folder: Path) -> dict[str, Array]:
        (train, train_y), (test, test_y) = (_read(folder / file.name) for file in self.files)
        numbers = tokens.vocabulary(train, VOCABULARY)
        train_x, test_x = (tokens.encode(sentences, numbers, LENGTH) for sentences in (train, test))
        splits = (train_x, train_y), (test_x, test_y)
        return parts.checked(self.name, *splits, (LENGTH,), len(EMOTIONS), np.int32)


def _read(path: Path) -> tuple[list[str], Labels]:
    """Lines `sentence;emotion` -> sentences and labels [n]."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text: {error}") from error
    pairs = [line.rpartition(";") for line in lines]
    for number, (sentence, _, emotion) in enumerate(pairs, 1):
        if not sentence or emotion not in EMOTIONS:
            raise DataError(f"{path}, line {number} is not a sentence, ';' and one of {', '.join(EMOTIONS)}")
    labels = np.array([EMOTIONS.index(emotion) for *_, emotion in pairs], np.int64)
    return [sentence for sentence, *_ in pairs], labels


SOURCE = Emotion()
STAND_IN = SyntheticSentences("emotion", LENGTH, len(EMOTIONS))
