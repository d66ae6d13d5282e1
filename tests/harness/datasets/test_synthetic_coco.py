"""The stand-ins for COCO can be learnt: a rule of colours finds what is there; and they have COCO's oddities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.datasets import coco_2017_300, coco_2017_640, prepared
from harness.datasets.synthetic_coco import CLASSES, COLOURS, NOISE, QUARTERS, SyntheticCoco
from harness.judges import judge_of
from suite.data import DataSet, load
from suite.detection.answers import answers
from suite.detection.masks import unpacked

BOTH = pytest.mark.parametrize("stand_in", [coco_2017_300.STAND_IN, coco_2017_640.STAND_IN])


@pytest.fixture
def prepare(home: Path):
    def make(stand_in: SyntheticCoco) -> tuple[Path, DataSet]:
        place = prepared.prepare(stand_in, Path())
        return place, load(place)

    return make


@BOTH
def test_they_have_crowds_images_with_nothing_and_room_that_is_left(prepare, stand_in) -> None:
    _, data = prepare(stand_in)
    assert [len(one["image"]) for one in (data.train, data.test)] == [256, 64]
    for split in (data.train, data.test):
        assert split["image"].shape[1:] == (stand_in.form.side, stand_in.form.side, 3)
        assert split["crowd"].sum() == 1 and split["class"][split["crowd"]].all()
        assert set(np.unique(split["class"])) == set(range(len(CLASSES) + 1))
        assert ((split["class"] > 0) == (split["boxes"][..., 2] > split["boxes"][..., 0])).all()
    objects = (data.train["class"] > 0) & ~data.train["crowd"]
    assert objects.any(1).all() and (data.test["class"] == 0).all(1).sum() == 8
    assert (data.train["class"][:, -1] == 0).all()


@BOTH
def test_their_bytes_are_the_same_each_time(home: Path, tmp_path: Path, stand_in) -> None:
    contents = []
    for name in ("one", "other"):
        place = tmp_path / name
        place.mkdir()
        stand_in.write(Path(), place)
        contents.append({path.name: path.read_bytes() for path in place.iterdir()})
    assert contents[0] == contents[1]


@BOTH
def test_who_looks_at_colours_finds_nearly_all(prepare, stand_in) -> None:
    place, data = prepare(stand_in)
    images = data.test["image"].astype(int)
    boxes, classes = np.zeros((len(images), 4, 4)), np.zeros((len(images), 4), int)
    height, width = (length // 2 for length in stand_in.size)
    for row, image in enumerate(images):
        for quarter, (down, right) in enumerate(QUARTERS):
            y, x = down * height, right * width
            found = coloured(image[y : y + height, x : x + width])
            if found is not None:
                boxes[row, quarter] = np.add(found[1], (x, y, x, y))
                classes[row, quarter] = found[0]
    told = answers(boxes, np.ones(classes.shape), classes)
    assert judge_of("ap50", place).judge(told) > 0.95
    assert judge_of("ap", place).judge(told) > 0.95


def coloured(image: np.ndarray) -> tuple[int, list[int]] | None:
    """The class with most pixels that no noise has, and the box around them."""
    bright = COLOURS > 128
    near = np.where(bright, image[:, :, np.newaxis] > 128 + NOISE, image[:, :, np.newaxis] < 128 - NOISE).all(
        -1
    )
    if not near.any():
        return None
    best = near.sum((0, 1)).argmax()
    rows, columns = np.flatnonzero(near[..., best].any(1)), np.flatnonzero(near[..., best].any(0))
    return best + 1, [columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]


def test_masks_are_full_in_boxes_and_round_in_discs(prepare) -> None:
    _, data = prepare(coco_2017_640.STAND_IN)
    for split in (data.train, data.test):
        shown = (split["class"] > 0) & ~split["crowd"]
        masks, disc = unpacked(split["mask"][shown]), split["class"][shown] % 2 == 0
        assert masks[~disc].all() and not masks[disc][:, ::55, ::55].any()
        assert masks[disc].mean() == pytest.approx(np.pi / 4, abs=0.02)
        assert not split["mask"][~shown].any()
        assert (split["extent"] == [96, 128]).all() and not split["image"][:, 96:].any()
