"""CIFAR-10 is read from the official archive's layout, with channels and labels in their places."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.datasets import official, prepared, source
from harness.datasets.base import OfficialFile
from harness.datasets.cifar import Cifar
from harness.datasets.cifar10 import SOURCE
from harness.errors import DataError
from suite.data import load
from tests.harness.datasets.conftest import Serve
from tests.harness.datasets.official_layout import cifar_batch, tar_gz
from tests.harness.datasets.test_pickles import Asks

ARCHIVE = "cifar-10-python.tar.gz"
MEMBERS = (*SOURCE.train, SOURCE.test)
ROWS = np.arange(2 * 3072, dtype=np.int64).astype(np.uint8).reshape(2, 3072)


@pytest.fixture
def subset(real: Callable[[str], Path], tmp_path: Path) -> Path:
    """A folder with 4 000 + 1 000 real images in the official archive's layout."""
    folder = real("cifar-10-subset")
    tar_gz(tmp_path / ARCHIVE, {name: (folder / name).read_bytes() for name in MEMBERS})
    return tmp_path


def small(folder: Path, **replaced: bytes) -> Path:
    """Two images a batch; `replaced` members by the last part of their names."""
    sound = cifar_batch(ROWS, [3, 9])
    tar_gz(folder / ARCHIVE, {name: replaced.get(name.split("/")[1], sound) for name in MEMBERS})
    return folder


def test_real_images_are_read_in_the_official_order(subset: Path) -> None:
    found = SOURCE.arrays(subset)
    assert found["train_x"].shape == (4000, 32, 32, 3)
    assert found["test_x"].shape == (1000, 32, 32, 3)
    assert found["train_x"].dtype == np.uint8 and found["train_x"].flags.c_contiguous
    assert found["train_y"][:5].tolist() == [6, 9, 9, 4, 1]
    assert found["test_y"][:5].tolist() == [3, 8, 8, 0, 6]
    assert found["train_x"][0, 0, :2].tolist() == [[59, 62, 63], [43, 46, 45]]  # as other readers print them


def test_batches_are_joined_in_their_order_and_planes_become_channels(tmp_path: Path) -> None:
    batches = {f"data_batch_{i}": cifar_batch(np.full((1, 3072), i, np.uint8), [i]) for i in range(1, 6)}
    found = SOURCE.arrays(small(tmp_path, **batches))
    assert found["train_y"].tolist() == [1, 2, 3, 4, 5]
    assert found["train_x"][:, 0, 0, 0].tolist() == [1, 2, 3, 4, 5]
    assert np.array_equal(found["test_x"], ROWS.reshape(2, 3, 32, 32).transpose(0, 2, 3, 1))


def served(folder: Path, address: str) -> Cifar:
    """As the source, but with the checksum of what lies in the folder."""
    content = (folder / ARCHIVE).read_bytes()
    file = OfficialFile(ARCHIVE, f"{address}/{ARCHIVE}", hashlib.sha256(content).hexdigest(), len(content))
    return replace(SOURCE, archive=file)


def test_it_is_fetched_checked_and_prepared(subset: Path, home: Path, serve: Serve) -> None:
    one = served(subset, serve(subset))
    data = load(prepared.prepare(one, official.download(one)))
    assert data.train["x"].shape == (4000, 32, 32, 3)
    prepared.verify("cifar10")


def test_an_archive_with_another_checksum_is_refused_before_it_is_opened(tmp_path: Path, home: Path) -> None:
    marker = tmp_path / "ran"
    hostile = pickle.dumps(Asks(os.system, f"touch {marker}"))
    with pytest.raises(DataError, match=f"official {SOURCE.archive.sha256}"):
        prepared.prepare(source("cifar10"), small(tmp_path, data_batch_3=hostile))
    assert not marker.exists()
    assert not prepared.is_prepared("cifar10")


def test_a_hostile_batch_is_refused_even_with_the_right_checksum(tmp_path: Path, home: Path) -> None:
    marker = tmp_path / "ran"
    folder = small(tmp_path, data_batch_3=pickle.dumps(Asks(os.system, f"touch {marker}")))
    with pytest.raises(DataError, match="data_batch_3 is not a pickle of arrays: it asks to run"):
        prepared.prepare(served(folder, "http://127.0.0.1:9"), folder)
    assert not marker.exists()
    assert not prepared.is_prepared("cifar10")
    assert not list((home / "data").iterdir())


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (cifar_batch(ROWS[:, :-1], [3, 9]), "data_batch_2 has no data of 3072 bytes an image"),
        (cifar_batch(ROWS, [3, 9], b"other"), "data_batch_2 has no list of labels"),
        (cifar_batch(ROWS, [3, 9.5]), "data_batch_2 has no list of labels"),
        (pickle.dumps([1, 2]), "data_batch_2 has no data of 3072 bytes an image"),
        (cifar_batch(ROWS, [3]), "cifar10: the training split has 10 examples and labels of shape"),
        (cifar_batch(ROWS, [3, 10]), "cifar10: the training split has labels from 3 to 10, not from 0 to 9"),
        (cifar_batch(ROWS, [3, 9])[:-100], "data_batch_2 is not a pickle of arrays"),
    ],
)
def test_a_batch_of_another_form_is_named(tmp_path: Path, batch: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        SOURCE.arrays(small(tmp_path, data_batch_2=batch))
