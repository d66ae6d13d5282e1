"""COCO is read as published: boxes and masks on their canvases, crowds, images without objects, and no nonsense."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pycocotools import mask as reference

from harness.datasets import coco_2017_300, coco_2017_640, coco_pictures, prepared
from harness.datasets.coco import ANNOTATIONS, FOLDERS, Coco
from suite.data import load
from suite.detection.masks import unpacked
from tests.harness.datasets.official_layout import zipped
from tests.real_sets import as_official, coco_archives, real

PIL = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
Told = dict[str, Any]
Write = Callable[..., Coco]


def jpeg(height: int, width: int, level: int = 200, mode: str = "RGB") -> bytes:
    content = io.BytesIO()
    image = PIL.fromarray(np.full((height, width, 3), level, np.uint8)).convert(mode)
    image.save(content, "JPEG", quality=95)
    return content.getvalue()


def thing(number: int, image: int, box: list[float], category: int = 18, **more: Any) -> Told:
    x, y, width, height = box
    corners = [x, y, x + width, y, x + width, y + height, x, y + height]
    known = {"id": number, "image_id": image, "category_id": category, "bbox": box, "iscrowd": 0}
    return known | {"area": width * height, "segmentation": [corners]} | more


def told(*things: Told) -> Told:
    """Three images: 5 is 60 wide and 40 high, 7 is 40 wide and 60 high, 6 is as 5."""
    return {
        "images": [
            {"id": number, "file_name": f"{number}.jpg", "height": height, "width": width}
            for number, height, width in ((7, 60, 40), (5, 40, 60), (6, 40, 60))
        ],
        "categories": [{"id": 90, "name": "toothbrush"}, {"id": 18, "name": "dog"}],
        "annotations": list(things),
    }


IMAGES = {"5.jpg": jpeg(40, 60), "6.jpg": jpeg(40, 60), "7.jpg": jpeg(60, 40)}
TRAIN = told(thing(2, 7, [10, 30, 20, 20], 90), thing(1, 5, [0, 0, 30, 20]))
TEST = told(thing(1, 6, [0, 0, 30, 20]))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function (train, test, images, source) -> the source, whose official files lie in tmp_path."""

    def give(
        train: object = TRAIN,
        test: object = TEST,
        images: dict[str, bytes] = IMAGES,
        source: Coco = coco_2017_640.SOURCE,
    ) -> Coco:
        for folder in FOLDERS.values():
            zipped(
                tmp_path / f"{folder}.zip", {f"{folder}/{name}": content for name, content in images.items()}
            )
        contents = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in (train, test)]
        names = (f"annotations/instances_{folder}.json" for folder in FOLDERS.values())
        zipped(tmp_path / ANNOTATIONS, dict(zip(names, contents, strict=True)))
        return as_official(replace(source, expected={}), tmp_path)  # type: ignore[return-value]

    return give


@pytest.fixture
def prepare(home: Path, tmp_path: Path, write: Write) -> Callable[..., Any]:
    return lambda *given, **named: load(prepared.prepare(write(*given, **named), tmp_path))


def test_an_image_keeps_its_aspect_from_the_top_left_and_its_boxes_go_with_it(prepare) -> None:
    train = prepare().train
    assert train["extent"].tolist() == [[427, 640], [640, 427]]
    first, second = train["image"]
    assert (first[:427] == 200).all() and not first[427:].any()
    assert (second[:, :427] == 200).all() and not second[:, 427:].any()
    np.testing.assert_allclose(
        train["boxes"][:, 0], [[0, 0, 320, 213.5], [106.75, 320, 320.25, 1600 / 3]], rtol=1e-6
    )
    assert train["class"][:, :2].tolist() == [[1, 0], [2, 0]]
    assert not train["boxes"][:, 1:].any() and not train["crowd"].any()


def test_an_image_is_stretched_and_its_boxes_go_with_it(prepare) -> None:
    train = prepare(source=coco_2017_300.SOURCE).train
    assert set(train) == {"image", "boxes", "class", "crowd"}
    assert train["image"].shape == (2, 300, 300, 3) and (train["image"] == 200).all()
    assert train["boxes"][:, 0].tolist() == [[0, 0, 150, 150], [75, 150, 225, 250]]


def test_images_without_objects_are_left_out_of_training_and_kept_in_the_test(prepare) -> None:
    crowd = thing(3, 6, [0, 0, 60, 40], iscrowd=1)
    data = prepare(told(*TRAIN["annotations"], crowd))
    assert len(data.train["image"]) == 2 and len(data.test["image"]) == 3
    assert data.test["class"][:, 0].tolist() == [0, 1, 0]


def test_objects_without_an_area_cannot_be_found_and_those_beyond_the_edge_are_cut(prepare) -> None:
    several = [thing(4, 5, [0, 5, 1e-310, 9]), thing(2, 5, [70, 5, 9, 9]), thing(3, 5, [45, -10, 30, 30])]
    train = prepare(told(*several, thing(1, 7, [0, 0, 40, 60]))).train
    assert train["class"].astype(bool).sum(1).tolist() == [1, 1]
    np.testing.assert_allclose(train["boxes"][0, 0], [480, 0, 640, 213.5])
    assert unpacked(train["mask"][0, 0]).all()


def test_a_crowd_is_told_and_has_no_mask(prepare) -> None:
    runs = {"counts": [0, 40 * 30, 40 * 30], "size": [40, 60]}
    crowd = thing(2, 5, [0, 0, 30, 40], iscrowd=1, segmentation=runs)
    train = prepare(told(crowd, thing(1, 5, [0, 0, 30, 20]), thing(3, 7, [0, 0, 9, 9]))).train
    assert train["crowd"][:, :3].tolist() == [[False, True, False], [False] * 3]
    assert not train["mask"][0, 1].any() and train["mask"][0, 0].all()


@pytest.mark.parametrize("compressed", [False, True])
def test_a_mask_of_runs_is_that_of_the_pixels_they_fill(prepare, compressed: bool) -> None:
    generator = np.random.default_rng(0)
    pixels = np.asfortranarray((generator.uniform(size=(40, 60)) < 0.5).astype(np.uint8))
    runs = reference.encode(pixels)
    counts = np.diff([0, *np.flatnonzero(np.diff(pixels.T.ravel(), prepend=0)), pixels.size]).tolist()
    runs["counts"] = runs["counts"].decode() if compressed else counts
    whole = prepare(told(thing(1, 5, [2, 3, 56, 28], segmentation=runs))).train
    columns, rows = 2 + np.arange(56), (3 + (np.arange(56) + 0.5) / 2).astype(int)
    assert (unpacked(whole["mask"][0, 0]) == pixels[np.ix_(rows, columns)]).all()


def test_a_mask_of_polygons_is_as_cocos_own_code_draws_it_at_that_size(prepare) -> None:
    polygons = [[0, 0, 28, 0, 0, 28], [30, 10, 56, 10, 56, 30, 40, 36]]
    train = prepare(told(thing(1, 5, [0, 0, 56, 28], segmentation=polygons))).train
    drawn = [[value * (1 if place % 2 == 0 else 2) for place, value in enumerate(one)] for one in polygons]
    expected = reference.decode(reference.merge(reference.frPyObjects(drawn, 56, 56)))
    assert (unpacked(train["mask"][0, 0]) == expected).all() and 0.4 < expected.mean() < 0.6


def test_the_judge_is_told_everything_as_published(home: Path, tmp_path: Path, write: Write) -> None:
    crowd = thing(9, 6, [0, 0, 60, 40], 90, iscrowd=1, segmentation={"counts": [2400], "size": [40, 60]})
    lost = thing(8, 5, [5, 5, 0, 9])
    place = prepared.prepare(write(test=told(crowd, lost)), tmp_path)
    truth = json.loads((place / "truth.json").read_text())
    assert [one["id"] for one in truth["images"]] == [5, 6, 7]
    assert truth["images"][1] == {"id": 6, "height": 40, "width": 60, "extent": [427, 640]}
    assert truth["categories"] == [{"id": 1, "name": "dog"}, {"id": 2, "name": "toothbrush"}]
    first, second = truth["annotations"]
    assert (first["image_id"], first["category_id"], first["bbox"]) == (5, 1, [5, 5, 0, 9])
    assert second == {
        "id": 2,
        **{name: crowd[name] for name in crowd if name not in ("id", "category_id")},
        "category_id": 2,
    }


def test_grey_and_cmyk_images_become_rgb(prepare) -> None:
    data = prepare(images={**IMAGES, "5.jpg": jpeg(40, 60, mode="L"), "7.jpg": jpeg(60, 40, mode="CMYK")})
    assert np.abs(data.train["image"][0, :427].astype(int) - 200).max() <= 2
    assert data.train["image"][1, :, :427].min() > 150


def test_what_was_decoded_is_not_decoded_again_after_an_interruption(
    home: Path, tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, decoded = write(), []

    def interrupted(content: bytes, picture: Any, form: Any, where: str) -> Any:
        decoded.append(where)
        if "val2017" in where:
            raise KeyboardInterrupt
        return coco_pictures.canvas(content, picture, form, where)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("harness.datasets.coco.canvas", interrupted)
        prepared.prepare(source, tmp_path)
    assert len([one for one in decoded if "train2017" in one]) == 2
    (tmp_path / "train2017.zip").rename(tmp_path / "kept.zip")
    monkeypatch.setattr("harness.datasets.prepared.check", lambda *_: None)
    data = load(prepared.prepare(source, tmp_path))
    assert [len(one["image"]) for one in (data.train, data.test)] == [2, 3]


@pytest.mark.unhurried
@pytest.mark.parametrize("source", [coco_2017_300.SOURCE, coco_2017_640.SOURCE])
def test_real_images_are_read(home: Path, tmp_path: Path, source: Coco) -> None:
    data = load(prepared.prepare(coco_archives(tmp_path, source), tmp_path), mapped=True)
    published = json.loads((real("coco2017-tiny") / "annotations" / "instances_train2017.json").read_text())
    assert (
        len(data.train["image"]) == 49 and len(data.test["image"]) == 50
    )  # one and two images have no objects
    assert (data.test["class"] == 0).all(1).sum() == 2
    assert (data.train["class"] > 0).sum() == len(published["annotations"]) == 470
    assert data.train["crowd"].sum() == data.test["crowd"].sum() == 5
    assert data.train["boxes"].max() <= source.form.side and data.train["class"].max() == 80
    if source.form.shapes:
        assert (data.train["extent"].max(1) == 640).all()
        shown = (data.train["class"] > 0) & ~data.train["crowd"]
        filled = unpacked(data.train["mask"][shown]).mean((1, 2))
        assert filled == pytest.approx(of_their_boxes(published), abs=0.06)


def of_their_boxes(published: Told) -> np.ndarray:
    """Which share of its box each object fills, by its area, in the order of images and annotations."""
    several = [one for one in published["annotations"] if not one["iscrowd"]]
    several.sort(key=lambda one: (one["image_id"], one["id"]))
    return np.array([one["area"] / (one["bbox"][2] * one["bbox"][3]) for one in several])
