"""Photographs of every kind become square records in RGB; damaged ones are refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.datasets.photos import MOST_PIXELS, square
from harness.errors import DataError
from tests.harness.datasets.official_layout import png

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
ORIENTATION, LIES_ON_ITS_LEFT = 0x0112, 6  # of EXIF: upright when turned clockwise by a quarter


def halves(height: int = 40, width: int = 60) -> np.ndarray:
    """Red above, blue below."""
    image = np.zeros((height, width, 3), np.uint8)
    image[: height // 2, :, 0] = image[height // 2 :, :, 2] = 250
    return image


def saved(path: Path, image: np.ndarray, mode: str = "RGB", **options: object) -> Path:
    Image.fromarray(image).convert(mode).save(path, **options)
    return path


def assert_halves(found: np.ndarray, colour: bool = True) -> None:
    assert found.shape == (16, 16, 3) and found.dtype == np.uint8
    above, below = found[2, 8].astype(int), found[-3, 8].astype(int)
    if colour:
        assert above[0] > 200 > 60 > above[2] and below[2] > 200 > 60 > below[0]
    else:
        assert above[0] == above[1] == above[2] and abs(above[0] - below[0]) > 30


@pytest.mark.parametrize(
    ("mode", "file", "colour"),
    [
        ("RGB", "a.JPEG", True), ("CMYK", "a.JPEG", True), ("L", "a.JPEG", False), ("P", "a.png", True),
        ("RGBA", "a.png", True), ("LA", "a.png", False), ("RGB", "a.png", True),
    ],
)  # fmt: skip
def test_any_colours_become_red_green_and_blue(tmp_path: Path, mode: str, file: str, colour: bool) -> None:
    assert_halves(square(saved(tmp_path / file, halves(), mode), 16), colour)


def test_sixteen_bits_are_scaled_and_not_cut_off(tmp_path: Path) -> None:
    image = np.repeat([[60_000], [20_000]], 20, axis=0).repeat(40, axis=1).astype(np.uint16)
    Image.fromarray(image).save(tmp_path / "a.png")
    found = square(tmp_path / "a.png", 16)
    assert found[2, 8].tolist() == [60_000 >> 8] * 3 and found[-3, 8].tolist() == [20_000 >> 8] * 3


def test_a_camera_that_was_turned_is_turned_back(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = LIES_ON_ITS_LEFT
    path = saved(tmp_path / "a.JPEG", np.rot90(halves()), exif=exif.tobytes(), quality=95)
    assert_halves(square(path, 16))


def test_the_centre_of_the_longer_side_is_kept(tmp_path: Path) -> None:
    wide = np.zeros((20, 80, 3), np.uint8)
    wide[:, 30:50] = 200
    found = square(saved(tmp_path / "a.png", wide), 20)
    assert (found == 200).all()
    tall = square(saved(tmp_path / "b.png", wide.swapaxes(0, 1)), 20)
    assert (tall == 200).all()


def test_a_strip_of_one_pixel_is_a_record_too(tmp_path: Path) -> None:
    assert (
        square(saved(tmp_path / "a.png", np.full((1, 5000, 3), 7, np.uint8)), 16).tolist()
        == [[[7] * 3] * 16] * 16
    )


def test_a_small_one_is_made_larger(tmp_path: Path) -> None:
    assert_halves(square(saved(tmp_path / "a.png", halves(8, 9)), 16))


def huge(path: Path) -> None:
    side = int(MOST_PIXELS**0.5) + 1
    Image.new("1", (side, side)).save(path)


def cut(path: Path) -> None:
    saved(path, np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8), format="JPEG")
    path.write_bytes(path.read_bytes()[:-400])


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (huge, "pixels, more than"),
        (cut, "is not a whole image"),
        (lambda path: path.write_bytes(b""), "is not a whole image"),
        (lambda path: path.write_bytes(b"GIF89a" + bytes(100)), "is not a whole image"),
        (lambda path: path.write_bytes(png(halves())[:60]), "is not a whole image"),
        (lambda path: path.mkdir(), "is not a whole image"),
    ],
)
def test_what_is_no_photograph_is_named(tmp_path: Path, write: object, words: str) -> None:
    path = tmp_path / "n01440764_7.JPEG"
    write(path)  # type: ignore[operator]
    with pytest.raises(DataError, match=words) as told:
        square(path, 16)
    assert "n01440764_7.JPEG" in str(told.value) and "\n" not in str(told.value)
