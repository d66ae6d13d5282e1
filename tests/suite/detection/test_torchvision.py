"""torchvision, in an environment of its own, says the same of boxes, anchors and features."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from faster_coco_eval.core import mask as rle

from harness import paths
from harness.judges.detections import Truth, results
from suite.detection.anchors import default_boxes, grid_anchors
from suite.detection.answers import BOX_UNIT
from suite.detection.boxes import areas, clipped, decode, encode, iou
from suite.detection.matching import match
from suite.detection.roi_align import fpn_levels, roi_align
from suite.detection.suppression import NONE, nms, nms_by_class

pytestmark = pytest.mark.slow
WITNESS = paths.ROOT / ".venv-torchvision/bin/python"
WEIGHTS = (10.0, 10.0, 5.0, 5.0)
TRUTHS = 12
SCALE = 8  # of a canvas to the image
FINE = SCALE * BOX_UNIT


def some_boxes(generator: np.random.Generator, count: int, side: float) -> np.ndarray:
    near = generator.uniform(-0.1 * side, 0.8 * side, (count, 2))
    return np.concatenate([near, near + generator.uniform(0.01 * side, 0.5 * side, (count, 2))], 1)


@pytest.fixture(scope="module")
def given() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(3)
    boxes = some_boxes(generator, 1500, 80)
    deltas = generator.normal(0, 8, (1500, 4))  # some grow more than they may
    rois = np.concatenate(
        [some_boxes(generator, 40, 200), some_boxes(generator, 20, 20), [[300, 300, 340, 350]]]
    )
    return {
        "boxes": boxes,
        "anchors": some_boxes(generator, 2000, 80),
        "truths": boxes[:TRUTHS],
        "scores": generator.permutation(1500) / 1500,
        "classes": generator.integers(0, 5, 1500),
        "deltas": deltas,
        "large": some_boxes(generator, 500, 1200),
        "features": generator.normal(size=(13, 17, 5)),
        "rois": rois,
        "boxes_of_masks": np.rint(np.clip(some_boxes(generator, 40, 90), 0, [80, 60, 80, 60]) * FINE) / FINE,
        "masks": generator.integers(0, 256, (40, 28, 28)).astype(float),
    }


@pytest.fixture(scope="module")
def found(given: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    assert WITNESS.exists(), "`make test-slow` makes its environment"
    folder = tmp_path_factory.mktemp("torchvision")
    np.savez(folder / "given.npz", **given)
    subprocess.run([WITNESS, Path(__file__).with_name("torchvision_witness.py"), folder], check=True)
    with np.load(folder / "found.npz") as archive:
        return dict(archive)


def assert_same(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype == np.float64
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def test_areas_overlaps_and_what_is_cut(given, found) -> None:
    assert_same(areas(given["boxes"]), found["areas"])
    assert_same(iou(given["boxes"], given["anchors"]), found["iou"])
    assert_same(clipped(given["boxes"], 60, 70), found["clipped"])


def test_codes_of_boxes(given, found) -> None:
    assert_same(encode(given["boxes"], given["anchors"][:1500], WEIGHTS), found["encoded"])
    assert_same(decode(given["deltas"], given["boxes"], WEIGHTS), found["decoded"])


def test_anchors_and_default_boxes(found) -> None:
    assert_same(grid_anchors(6, 8, 16, (32, 64, 100), (0.5, 1.0, 2.0)), found["grid_anchors"])
    assert_same(default_boxes(), found["default_boxes"])


@pytest.mark.parametrize(("size", "samples"), [(7, 2), (14, 1), (3, 3)])
def test_features_under_boxes(given, found, size: int, samples: int) -> None:
    ours = roi_align(given["features"], given["rois"], size, 1 / 16, samples)
    assert np.abs(ours).max() > 1
    assert_same(ours, found[f"aligned_{size}_{samples}"])


def test_levels_of_a_pyramid(given, found) -> None:
    ours = fpn_levels(given["large"], 2, 5)
    assert set(ours) == {2, 3, 4, 5}
    assert (ours - 2 == found["levels"]).all()


def test_what_suppression_leaves(given, found) -> None:
    boxes, scores = given["boxes"], given["scores"]
    assert 50 < len(found["left"]) < len(found["left_by_class"]) < 1500
    assert padded(found["left"]) == nms(boxes, scores, 0.3, 1500).tolist()
    by_class = nms_by_class(boxes, scores, given["classes"], 0.3, 1500).tolist()
    assert padded(found["left_by_class"]) == padded(found["left_by_class_vanilla"]) == by_class


def padded(left: np.ndarray) -> list[int]:
    return [*left.tolist(), *[NONE] * (1500 - len(left))]


def test_which_anchor_finds_which_truth(given, found) -> None:
    overlap, everyone = iou(given["truths"], given["anchors"]), np.ones(TRUTHS, bool)
    ours = match(overlap, everyone, 0.3, 0.5, force_best=False)
    assert set(ours) > {-2, -1}
    assert (ours == found["matched"]).all()
    assert len(set(overlap.argmax(1))) == TRUTHS  # no two claim the same, of which torchvision takes the last
    assert (match(overlap, everyone, 0.5, 0.5, force_best=True) == found["matched_ssd"]).all()


def test_of_an_rpn_torchvision_gives_a_claimed_anchor_to_the_truth_that_it_overlaps_most(
    given, found
) -> None:
    overlap = iou(given["truths"], given["anchors"])
    ours = match(overlap, np.ones(TRUTHS, bool), 0.3, 0.7, force_best=True, all_ties=True)
    theirs = found["matched_rpn"]
    assert (np.minimum(ours, 0) == np.minimum(theirs, 0)).all() and (theirs >= 0).sum() >= TRUTHS
    differing = np.flatnonzero(ours != theirs)
    assert (overlap[ours[differing], differing] == overlap.max(1)[ours[differing]]).all()
    assert (overlap[theirs[differing], differing] >= overlap[ours[differing], differing]).all()


def test_masks_are_pasted_where_pytorch_samples_them(given, found) -> None:
    boxes, masks = given["boxes_of_masks"], given["masks"]
    image = {"id": 1, "height": 60, "width": 80, "extent": [60 * SCALE, 80 * SCALE]}
    told = {
        "boxes": (boxes * FINE)[np.newaxis].astype(int),
        "scores": np.ones((1, 40), int),
        "classes": np.ones((1, 40), int),
        "masks": masks[np.newaxis].astype(np.uint8),
    }
    ours = results(told, Truth({"images": [image], "categories": [{"id": 1}]}), masks=True)
    pixels = np.stack([rle.decode(one["segmentation"]) for one in ours]).astype(bool)
    assert found["pasted"].any((1, 2)).sum() > 30
    assert (pixels == found["pasted"]).all()
