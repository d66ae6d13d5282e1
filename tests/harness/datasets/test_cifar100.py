"""CIFAR-100 is read with its fine labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.datasets.cifar100 import SOURCE
from harness.errors import DataError
from tests.harness.datasets.official_layout import cifar_batch, tar_gz

ARCHIVE = "cifar-100-python.tar.gz"
ROWS = np.zeros((2, 3072), np.uint8)


def test_real_images_are_read_with_their_fine_labels(real: Callable[[str], Path], tmp_path: Path) -> None:
    twenty = (real("cifar-100-tiny") / "cifar-100-python" / "test").read_bytes()  # there is no training file
    tar_gz(tmp_path / ARCHIVE, {SOURCE.train[0]: twenty, SOURCE.test: twenty})
    found = SOURCE.arrays(tmp_path)
    assert found["test_x"].shape == (20, 32, 32, 3)
    assert found["test_y"][:5].tolist() == [49, 33, 72, 51, 71]
    assert np.array_equal(found["train_x"], found["test_x"])


def test_the_last_of_a_hundred_classes_is_the_last(tmp_path: Path) -> None:
    sound, beyond = (cifar_batch(ROWS, [0, top], b"fine_labels") for top in (99, 100))
    tar_gz(tmp_path / ARCHIVE, {SOURCE.train[0]: sound, SOURCE.test: sound})
    assert SOURCE.arrays(tmp_path)["train_y"].tolist() == [0, 99]
    tar_gz(tmp_path / ARCHIVE, {SOURCE.train[0]: sound, SOURCE.test: beyond})
    with pytest.raises(
        DataError, match="cifar100: the test split has labels from 0 to 100, not from 0 to 99"
    ):
        SOURCE.arrays(tmp_path)


def test_coarse_labels_do_not_stand_in_for_fine_ones(tmp_path: Path) -> None:
    coarse = cifar_batch(ROWS, [0, 19], b"coarse_labels")
    tar_gz(tmp_path / ARCHIVE, {SOURCE.train[0]: coarse, SOURCE.test: coarse})
    with pytest.raises(DataError, match="has no list of fine_labels"):
        SOURCE.arrays(tmp_path)
