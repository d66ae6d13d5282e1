"""Malaria cells are read from the official archive's layout, resized and split alike each time."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from harness.datasets import prepared, source
from harness.datasets.malaria import CLASSES, SIDE, SOURCE
from harness.errors import DataError
from tests.harness.datasets.official_layout import png, zipped

pytestmark = pytest.mark.usefixtures("pillow")
ARCHIVE = "cell_images.zip"


@pytest.fixture
def pillow() -> None:
    pytest.importorskip("PIL", reason="Pillow is not installed")


def cell(level: int) -> bytes:
    return png(np.full((3, 4, 3), level, np.uint8))


def write(folder: Path, **replaced: bytes) -> Path:
    """Ten cells of each class, as bright as their number; `replaced` ones of the infected by name."""
    members = {
        f"cell_images/{name}/c{i}.png": cell(i + 100 * k) for i in range(10) for k, name in enumerate(CLASSES)
    }
    named = {f"cell_images/Parasitized/{name}.png": content for name, content in replaced.items()}
    extras = {
        "cell_images/": b"",
        "cell_images/Parasitized/Thumbs.db": b"no image",
        "cell_images/notes.png": b"no",
    }
    zipped(folder / ARCHIVE, {**extras, **members, **named})
    return folder


def levels(found: Mapping[str, np.ndarray], part: str) -> list[int]:
    return found[f"{part}_x"][:, 0, 0, 0].tolist()


def test_every_fifth_cell_of_a_class_is_for_the_test(tmp_path: Path) -> None:
    found = SOURCE.arrays(write(tmp_path))
    assert levels(found, "test") == [4, 9, 104, 109]
    assert levels(found, "train") == [*range(4), *range(5, 9), *range(100, 104), *range(105, 109)]
    assert found["test_y"].tolist() == [0, 0, 1, 1]
    assert found["train_y"].tolist() == [0] * 8 + [1] * 8


def test_the_order_in_the_archive_does_not_matter(tmp_path: Path) -> None:
    found = SOURCE.arrays(write(tmp_path))
    with zipfile.ZipFile(tmp_path / ARCHIVE) as archive:
        backwards = {name: archive.read(name) for name in reversed(archive.namelist())}
    zipped(tmp_path / ARCHIVE, backwards)
    again = SOURCE.arrays(tmp_path)
    assert all(np.array_equal(found[part], again[part]) for part in found)


def test_real_cells_in_colour_and_of_any_size_are_read(real: Callable[[str], Path], tmp_path: Path) -> None:
    folder = real("malaria-subset") / "rgb-originals"
    cells = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.png")}
    found = SOURCE.arrays(zipped(tmp_path / ARCHIVE, cells).parent)
    assert found["train_x"].shape == (14, SIDE, SIDE, 3)
    assert found["test_y"].tolist() == [0, 1]
    red, _, blue = found["train_x"].reshape(-1, 3).mean(axis=0)
    assert red > blue > 0  # stained pink, on black


@pytest.mark.unhurried
def test_real_cells_are_read_from_the_archive(real: Callable[[str], Path]) -> None:
    found = SOURCE.arrays(real("malaria-subset"))
    assert found["train_x"].shape == (3200, SIDE, SIDE, 3)
    assert np.bincount(found["train_y"]).tolist() == [1600, 1600]
    assert np.bincount(found["test_y"]).tolist() == [400, 400]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (cell(1)[:-40], r"cell_images/Parasitized/c3\.png is not a whole PNG image"),
        (b"no image", r"cell_images/Parasitized/c3\.png is not a whole PNG image"),
        (bytes(1 << 21), r"cell_images/Parasitized/c3\.png has 2097152 bytes, more than"),
    ],
)
def test_a_bad_cell_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        SOURCE.arrays(write(tmp_path, c3=content))


def test_a_class_without_cells_is_named(tmp_path: Path) -> None:
    zipped(tmp_path / ARCHIVE, {"cell_images/Parasitized/c1.png": cell(1)})
    with pytest.raises(DataError, match="has 0 PNG files in cell_images/Uninfected, too few to split"):
        SOURCE.arrays(tmp_path)


def test_another_archive_than_the_official_one_is_refused(tmp_path: Path, home: Path) -> None:
    with pytest.raises(DataError, match=r"cell_images\.zip is damaged or another file"):
        prepared.prepare(source("malaria"), write(tmp_path))
