"""SVHN is read from .mat files of the official layout: X [32, 32, 3, n], y [n, 1] with 10 for the digit 0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from harness.datasets import prepared, source
from harness.datasets.svhn import SOURCE
from harness.errors import DataError

IMAGES = np.random.default_rng(1).integers(0, 256, (32, 32, 3, 4), dtype=np.uint8)
LABELS = np.array([[1], [10], [9], [5]], np.uint8)


def write(folder: Path, compressed: bool = True, **replaced: np.ndarray) -> Path:
    """Both files; `replaced` variables of the test file, None to leave one out."""
    variables = {"X": IMAGES, "y": LABELS}
    savemat(folder / "train_32x32.mat", variables, do_compression=compressed)
    kept = {name: value for name, value in {**variables, **replaced}.items() if value is not None}
    savemat(folder / "test_32x32.mat", kept, do_compression=compressed)
    return folder


@pytest.mark.parametrize("compressed", [True, False])
def test_images_come_first_and_ten_is_the_digit_zero(tmp_path: Path, compressed: bool) -> None:
    found = SOURCE.arrays(write(tmp_path, compressed))
    assert found["train_x"].flags.c_contiguous
    assert np.array_equal(found["train_x"][2], IMAGES[..., 2])
    assert found["train_y"].tolist() == [1, 0, 9, 5]


@pytest.mark.parametrize(
    ("replaced", "words"),
    [
        ({"X": None}, r"test_32x32\.mat is not a \.mat file \(version 5\) with X and y"),
        ({"y": None}, r"test_32x32\.mat is not a \.mat file \(version 5\) with X and y"),
        ({"X": IMAGES[..., 0]}, r"X of shape \(32, 32, 3\)"),
        ({"y": LABELS / 2}, "float64"),
        ({"X": IMAGES[:28]}, "svhn: the test split holds examples of 28x32x3 uint8, not of 32x32x3 uint8"),
        ({"X": IMAGES / 255}, "holds examples of 32x32x3 float64"),
        ({"y": LABELS[:2]}, "has 4 examples and labels of shape"),
        ({"y": LABELS + 1}, "has labels from 0 to 11, not from 0 to 9"),
    ],
)
def test_a_file_of_another_form_is_named(tmp_path: Path, replaced: dict[str, np.ndarray], words: str) -> None:
    with pytest.raises(DataError, match=words):
        SOURCE.arrays(write(tmp_path, **replaced))


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 0.99])
def test_a_truncated_file_is_named(tmp_path: Path, share: float, compressed: bool) -> None:
    victim = write(tmp_path, compressed) / "train_32x32.mat"
    victim.write_bytes(victim.read_bytes()[: int(share * victim.stat().st_size)])
    with pytest.raises(DataError, match=r"train_32x32\.mat is not a \.mat file"):
        SOURCE.arrays(tmp_path)


def test_a_newer_matlab_file_is_refused(tmp_path: Path) -> None:
    newer = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(400)
    (write(tmp_path) / "train_32x32.mat").write_bytes(newer)
    with pytest.raises(DataError, match="version 5"):
        SOURCE.arrays(tmp_path)


def test_files_with_other_checksums_are_refused(tmp_path: Path, home: Path) -> None:
    with pytest.raises(DataError, match=r"train_32x32\.mat is damaged or another file"):
        prepared.prepare(source("svhn"), write(tmp_path))
