"""Fashion-MNIST is read from IDX files as MNIST is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.datasets import idx, official, prepared, source
from harness.datasets.fashion_mnist import SOURCE
from harness.errors import DataError
from tests.harness.datasets.conftest import Serve
from tests.harness.datasets.test_idx import write_idx


def test_real_pictures_are_read(real: Callable[[str], Path]) -> None:
    found = SOURCE.arrays(real("fashion-mnist-subset"))
    assert found["train_x"].shape == (900, 28, 28)
    assert np.bincount(found["train_y"]).tolist() == [90] * 10
    assert found["test_y"][:5].tolist() == [9, 2, 1, 1, 6]
    assert found["test_x"].shape == (20, 28, 28)


@pytest.mark.parametrize("index", [1, 3])
def test_official_label_files_have_the_stated_checksums(real: Callable[[str], Path], index: int) -> None:
    file = SOURCE.files[index]
    path = real("fashion-mnist-subset") / "official-full-labels" / file.name
    assert (official.sha256(path), path.stat().st_size) == (file.sha256, file.size_bytes)
    assert np.bincount(idx.read_gzipped(path)).max() in (6000, 1000)


def test_a_subset_is_not_taken_for_the_official_files(
    real: Callable[[str], Path], tmp_path: Path, home: Path, serve: Serve
) -> None:
    shutil.copytree(real("fashion-mnist-subset"), tmp_path / "served")
    with pytest.raises(DataError, match=r"is not the official train-images-idx3-ubyte\.gz"):
        official.download(source("fashion_mnist"), serve(tmp_path / "served"))
    with pytest.raises(DataError, match="is damaged or another file"):
        prepared.prepare(source("fashion_mnist"), tmp_path / "served")


def test_pictures_of_another_size_are_refused(tmp_path: Path) -> None:
    for number, file in enumerate(SOURCE.files):
        write_idx(tmp_path / file.name, np.zeros((4, 28, 27) if number % 2 == 0 else (4,), np.uint8))
    with pytest.raises(DataError, match="fashion_mnist: the training split holds examples of 28x27 uint8"):
        SOURCE.arrays(tmp_path)
