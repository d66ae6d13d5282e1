"""SVHN, cropped digits (Netzer et al. 2011): 73 257 + 26 032 colour images of 32x32 pixels in .mat files."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import scipy

from harness.datasets import parts
from harness.datasets.base import Array, OfficialFile
from harness.datasets.synthetic import SyntheticImages
from harness.errors import DataError

LOCATION = "http://ufldl.stanford.edu/housenumbers/"
SHAPE = (32, 32, 3)
CLASSES = 10
DAMAGED = (
    zlib.error,
    OSError,
    EOFError,
    LookupError,
    TypeError,
    ValueError,
    NotImplementedError,  # what SciPy raises for a MATLAB 7.3 file, which is another format
)


class Svhn:
    name = "svhn"
    title = "SVHN, cropped digits, official files (without the extra ones)"
    # Sizes and SHA-256 as in tensorflow/datasets, url_checksums/svhn_cropped.txt
    files = (
        OfficialFile(
            "train_32x32.mat",
            LOCATION + "train_32x32.mat",
            "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8",
            182040794,
        ),
        OfficialFile(
            "test_32x32.mat",
            LOCATION + "test_32x32.mat",
            "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b",
            64275384,
        ),
    )

    def arrays(self, folder: Path) -> dict[str, Array]:
        train, test = (_read(folder / file.name) for file in self.files)
        return parts.checked(self.name, train, test, SHAPE, CLASSES)


def _read(path: Path) -> parts.Split:
    """X [32, 32, 3, n] and y [n, 1], where 10 means the digit 0 -> images [n, 32, 32, 3], labels [n]."""
    try:
        variables = scipy.io.loadmat(
            path, variable_names=["X", "y"]
        )  # reads numbers only; nothing in the file is run
        x, y = variables["X"], variables["y"]
    except (scipy.io.matlab.MatReadError, *DAMAGED) as error:
        raise DataError(f"{path} is not a .mat file (version 5) with X and y: {error}") from error
    if x.ndim != 4 or y.ndim != 2 or y.dtype.kind not in "ui":
        raise DataError(f"{path} has X of shape {x.shape} and y of {y.shape} {y.dtype}")
    digits = y.ravel().astype(np.int64)
    return np.ascontiguousarray(np.moveaxis(x, -1, 0)), np.where(digits == 10, 0, digits)


SOURCE = Svhn()
STAND_IN = SyntheticImages("svhn", SHAPE, CLASSES)
