"""PNG files become colour images, or are refused by name."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from harness.datasets.png import decode
from harness.errors import DataError, MissingPrerequisite
from tests.harness.datasets.official_layout import png

IMAGE = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)


def test_without_pillow_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingPrerequisite, match="python -m pip install pillow"):
        decode(png(IMAGE), "cell.png")


@pytest.fixture
def pillow() -> None:
    pytest.importorskip("PIL", reason="Pillow is not installed")


@pytest.mark.usefixtures("pillow")
def test_colours_are_read_as_they_are() -> None:
    assert np.array_equal(decode(png(IMAGE), "cell.png"), IMAGE)


@pytest.mark.usefixtures("pillow")
def test_grey_becomes_three_equal_channels() -> None:
    assert np.array_equal(decode(png(IMAGE[..., 0]), "cell.png"), IMAGE[..., :1].repeat(3, axis=2))


@pytest.mark.usefixtures("pillow")
@pytest.mark.parametrize(
    "content",
    [b"", b"GIF89a" + bytes(20), png(IMAGE)[:50], png(IMAGE)[:-30], png(IMAGE).replace(b"IDAT", b"IDAX")],
)
def test_a_damaged_image_is_named(content: bytes) -> None:
    with pytest.raises(DataError, match=r"cell\.png is not a whole PNG image"):
        decode(content, "cell.png")


@pytest.mark.usefixtures("pillow")
def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = png(np.zeros((2000, 1000), np.uint8))
    assert len(bomb) < 10_000
    with pytest.raises(DataError, match=r"cell\.png has 1000x2000 pixels, more than 1048576"):
        decode(bomb, "cell.png")
