"""The official emotion files are read whole, line by line, or refused by line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from harness.datasets import official, prepared, source
from harness.datasets.emotion import EMOTIONS, LENGTH, SOURCE, VOCABULARY
from harness.datasets.tokens import PADDING, UNKNOWN
from harness.errors import DataError
from suite.data import load
from tests.harness.datasets.conftest import Serve


def bags(rows: np.ndarray) -> csr_matrix:
    """How often each word occurs in each row."""
    places = np.repeat(np.arange(len(rows), dtype=np.int32), rows.shape[1])
    counted = csr_matrix((np.ones(rows.size), (places, rows.ravel())), (len(rows), VOCABULARY))
    return counted[:, PADDING + 1 :]


def test_the_official_files_are_fetched_and_prepared(
    real: Callable[[str], Path], home: Path, serve: Serve
) -> None:
    folder = official.download(source("emotion"), serve(real("emotion")))
    data = load(prepared.prepare(source("emotion"), folder))
    assert data.train["x"].shape == (16000, LENGTH) and data.test["x"].shape == (2000, LENGTH)
    assert np.bincount(data.train["y"]).tolist() == [4666, 5362, 1304, 2159, 1937, 572]
    assert data.train["x"].dtype == np.int32 and data.train["x"].max() == VOCABULARY - 1
    lengths = (data.train["x"] != PADDING).sum(axis=1)
    assert lengths.max() == LENGTH and lengths.min() == 2
    words = data.train["x"][data.train["x"] != PADDING]
    assert (words != UNKNOWN).mean() == pytest.approx(0.983, abs=0.0005)


def test_the_numbers_of_words_still_tell_the_emotion(real: Callable[[str], Path]) -> None:
    found = SOURCE.arrays(real("emotion"))
    model = LinearSVC(C=0.1, random_state=0).fit(bags(found["train_x"]), found["train_y"])
    assert model.score(bags(found["test_x"]), found["test_y"]) > 0.85


def write(folder: Path, train: bytes, test: bytes = b"i feel fine;joy\n") -> Path:
    (folder / "train.txt").write_bytes(train)
    (folder / "test.txt").write_bytes(test)
    return folder


def test_the_vocabulary_comes_from_the_training_lines_alone(tmp_path: Path) -> None:
    found = SOURCE.arrays(write(tmp_path, b"i feel; sad;sadness\ni feel low;fear"))
    assert found["train_y"].tolist() == [EMOTIONS.index("sadness"), EMOTIONS.index("fear")]
    assert found["train_x"][1, -3:].tolist() == [2, 3, 5]  # i, feel, low; "feel;" is another word
    assert found["test_x"][0, -3:].tolist() == [2, 3, UNKNOWN]


@pytest.mark.parametrize(
    ("train", "words"),
    [
        (b"i feel sad;sadness\ni feel\n", r"train\.txt, line 2 is not a sentence"),
        (b"i feel sad;boredom\n", r"train\.txt, line 1 is not a sentence"),
        (b";joy\n", r"train\.txt, line 1 is not a sentence"),
        (b"i feel sad;sad", r"train\.txt, line 1 is not a sentence"),  # cut short
        (b"i f\xffel sad;sadness\n", r"train\.txt is not UTF-8 text"),
        (b"", "emotion: the training split has 0 examples"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, train: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        SOURCE.arrays(write(tmp_path, train))


def test_an_edited_file_is_refused(real: Callable[[str], Path], tmp_path: Path, home: Path) -> None:
    train, test = ((real("emotion") / name).read_bytes() for name in ("train.txt", "test.txt"))
    with pytest.raises(DataError, match=r"test\.txt is damaged or another file"):
        prepared.prepare(source("emotion"), write(tmp_path, train, test + b"\n"))
    assert not prepared.is_prepared("emotion")
