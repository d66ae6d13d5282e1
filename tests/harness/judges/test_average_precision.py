"""AP is COCO's, of boxes and masks in whole numbers, brought back to the images as published."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from pycocotools import mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from harness.datasets import coco_2017_300, coco_2017_640, prepared
from harness.datasets.coco import Coco
from harness.judges import judge_of
from harness.judges.average_precision import statistics
from harness.judges.detections import Truth, results
from suite.detection.answers import BOX_UNIT, MASK_UNIT, SCORE_UNIT, answers
from tests.real_sets import coco

Arrays = Mapping[str, np.ndarray]
SIZE = {"id": 7, "height": 40, "width": 80}


def annotation(
    number: int, box: list[float], label: int = 1, crowd: int = 0, image: int = 7
) -> dict[str, object]:
    x, y, width, height = box
    runs = np.zeros((80, 40), bool)
    runs[int(x) : int(x + width), int(y) : int(y + height)] = True
    counts = np.diff([0, *np.flatnonzero(np.diff(runs.ravel(), prepend=False)), runs.size]).tolist()
    return {
        "id": number,
        "image_id": image,
        "category_id": label,
        "bbox": box,
        "area": width * height,
        "iscrowd": crowd,
        "segmentation": {"counts": counts, "size": [40, 80]},
    }


@pytest.fixture
def truth(tmp_path: Path):
    """A function (annotations, images) -> the folder of a data set of 40x80 images on canvases of 160 pixels."""

    def write(*annotations: dict[str, object], images: int = 1) -> Path:
        told = {
            "images": [{**SIZE, "id": 7 + number, "extent": [80, 160]} for number in range(images)],
            "annotations": list(annotations),
            "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        }
        (tmp_path / "truth.json").write_text(json.dumps(told))
        return tmp_path

    return write


def found(
    *several: tuple[list[float], float, int], images: int = 1, masks: bool = False
) -> dict[str, np.ndarray]:
    """Detections (box on the canvas, score, class) of the first image."""
    boxes, scores, classes = np.zeros((images, 5, 4)), np.zeros((images, 5)), np.zeros((images, 5), int)
    for place, (box, score, label) in enumerate(several):
        boxes[0, place], scores[0, place], classes[0, place] = box, score, label
    return answers(boxes, scores, classes, np.ones((images, 5, 28, 28)) if masks else None)


def judged(folder: Path, told: Arrays, metric: str = "ap") -> float:
    return judge_of(metric, folder).judge(told)


def test_what_is_found_where_it_is_counts_in_full_and_what_is_not_found_not_at_all(truth) -> None:
    folder = truth(annotation(1, [10, 5, 20, 10]), annotation(2, [50, 5, 20, 10]))
    both = ([20, 10, 60, 30], 0.9, 1), ([100, 10, 140, 30], 0.8, 1)
    assert judged(folder, found(*both)) == pytest.approx(1)
    # Of recalls 0, 0.01 ... 1 precision is 1 up to 0.5: 51 of 101.
    assert judged(folder, found(both[0])) == pytest.approx(51 / 101)
    assert judged(folder, found()) == 0


def test_a_false_one_before_the_right_one_halves_and_behind_it_costs_nothing(truth) -> None:
    folder = truth(annotation(1, [10, 5, 20, 10]))
    right, wrong = [20, 10, 60, 30], [90, 40, 150, 60]
    assert judged(folder, found((right, 0.8, 1), (wrong, 0.9, 1))) == pytest.approx(0.5)
    assert judged(folder, found((right, 0.9, 1), (wrong, 0.8, 1))) == pytest.approx(1)


def test_an_overlap_counts_up_to_itself(truth) -> None:
    folder = truth(annotation(1, [0, 0, 20, 10]))
    half_more = found(([0, 0, 60, 20], 0.9, 1))  # overlaps by 2/3: right at .50, .55, .60 and .65
    assert judged(folder, half_more) == pytest.approx(0.4)
    assert judged(folder, half_more, "ap50") == pytest.approx(1)


def test_classes_count_alike_and_one_of_another_class_is_none(truth) -> None:
    folder = truth(annotation(1, [0, 0, 20, 10]), annotation(2, [40, 0, 20, 10], label=2))
    assert judged(folder, found(([0, 0, 40, 20], 0.9, 1), ([80, 0, 120, 20], 0.9, 1))) == pytest.approx(0.5)


def test_what_lies_in_a_crowd_is_neither_right_nor_wrong(truth) -> None:
    folder = truth(annotation(1, [0, 0, 20, 10]), annotation(2, [40, 0, 40, 40], crowd=1))
    several = ([80, 0, 100, 20], 0.95, 1), ([120, 0, 140, 20], 0.92, 1), ([0, 0, 40, 20], 0.9, 1)
    assert judged(folder, found(*several)) == pytest.approx(1)
    assert judged(truth(annotation(1, [0, 0, 20, 10])), found(*several)) == pytest.approx(1 / 3)


def test_an_image_without_objects_can_only_cost(truth) -> None:
    folder = truth(annotation(1, [0, 0, 20, 10], image=8), images=2)
    nothing_there = found(([0, 0, 40, 20], 0.9, 1), images=2)
    nothing_there = {name: np.concatenate([one[:1], one[:1]]) for name, one in nothing_there.items()}
    assert judged(folder, nothing_there) == pytest.approx(0.5)


def test_masks_are_pasted_into_their_boxes(truth) -> None:
    folder = truth(annotation(1, [10, 5, 20, 10]))
    whole = found(([20, 10, 60, 30], 0.9, 1), masks=True)
    assert judged(folder, whole, "mask_ap") == pytest.approx(1)
    half = whole["masks"].copy()
    half[..., 14:] = 0
    assert judged(folder, {**whole, "masks": half}, "mask_ap") == pytest.approx(0.1)
    assert judged(folder, {**whole, "masks": half}, "mask_ap50") == pytest.approx(1)
    half[..., 13] = 0
    assert judged(folder, {**whole, "masks": half}, "mask_ap50") == 0
    assert judged(folder, {**whole, "masks": np.full_like(half, MASK_UNIT // 2)}, "mask_ap") == 0


def test_a_mask_at_the_edge_is_cut_there(truth) -> None:
    folder = truth(annotation(1, [60, 20, 20, 20]))
    told = found(([120, 40, 160, 80], 0.9, 1), masks=True)
    [one] = results(told, Truth.read(folder), masks=True)
    assert mask.area(one["segmentation"]) == 20 * 20
    assert judged(folder, told, "mask_ap") == pytest.approx(1)


def test_metrics_of_the_same_answers_are_judged_once_and_others_anew(truth) -> None:
    folder = truth(annotation(1, [10, 5, 20, 10]))
    ap, ap50 = judge_of("ap", folder), judge_of("ap50", folder)
    assert ap._all is ap50._all
    right, wrong = found(([20, 10, 60, 30], 0.9, 1)), found(([20, 40, 60, 60], 0.9, 1))
    assert [ap.judge(right), ap.judge(wrong), ap50.judge(wrong), ap50.judge(right)] == pytest.approx(
        [1, 0, 0, 1]
    )
    assert "faster-coco-eval" in ap.how and "AP50" in ap50.how


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("boxes", (0, 0, 2), 160 * BOX_UNIT + 1, "boxes that are not from 0 to 2560"),
        ("boxes", (0, 0, 0), -1, "boxes that are not from 0 to 2560"),
        ("boxes", (0, 0, 2), 1, "end before they begin"),
        ("scores", (0, 0), SCORE_UNIT + 1, "scores that are not"),
        ("classes", (0, 0), 3, "classes that are not from 0 to 2"),
        ("masks", (0, 0, 3, 3), 256, "masks that are not from 0 to 255"),
    ],
)
def test_numbers_that_cannot_be_are_refused(truth, name, place, value, words) -> None:
    told = {name: one.astype(np.int64) for name, one in found(([20, 10, 60, 30], 0.9, 1), masks=True).items()}
    told[name][place] = value
    with pytest.raises(ValueError, match=words):
        judged(truth(annotation(1, [10, 5, 20, 10])), told, "mask_ap")


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("boxes", (1, 5)),
        ("boxes", (2, 5, 4)),
        ("scores", (1, 4)),
        ("classes", (1, 5, 1)),
        ("masks", (1, 5, 28, 27)),
    ],
)
def test_other_shapes_are_refused(truth, name, shape) -> None:
    told = {**found(masks=True), name: np.zeros(shape, np.int32)}
    with pytest.raises(ValueError, match="they hold no"):
        judged(truth(annotation(1, [10, 5, 20, 10])), told, "mask_ap")


def test_missing_arrays_and_too_many_detections_are_refused(truth) -> None:
    folder = truth(annotation(1, [10, 5, 20, 10]))
    with pytest.raises(ValueError, match="they hold no masks"):
        judged(folder, found(), "mask_ap")
    with pytest.raises(ValueError, match="they hold no boxes"):
        judged(folder, {})
    many = {name: np.repeat(one, 21, axis=1) for name, one in found().items()}
    with pytest.raises(ValueError, match="105 detections of an image"):
        judged(folder, many)


def test_where_there_is_nothing_to_find_there_is_no_precision(truth) -> None:
    with pytest.raises(ValueError, match=r"truth\.json has no objects"):
        judged(truth(annotation(1, [10, 5, 20, 10], crowd=1)), found())


def jittered(folder: Path, form_has_masks: bool) -> dict[str, np.ndarray]:
    """Of each object that can be found one or two detections beside it, and some elsewhere."""
    generator = np.random.default_rng(0)
    truths = {name: np.load(folder / f"test_{name}.npy") for name in ("boxes", "class")}
    boxes = np.repeat(truths["boxes"][:, :50], 2, axis=1).astype(float)
    side = boxes.max()
    moved = np.clip(boxes + generator.normal(0, 0.01 * side, boxes.shape), 0, side)
    classes = np.repeat(truths["class"][:, :50], 2, axis=1).astype(int)
    classes = np.where(
        generator.uniform(size=classes.shape) < 0.2, generator.integers(0, 4, classes.shape), classes
    )
    scores = generator.integers(0, 40, classes.shape) / 40  # some tie
    masks = generator.uniform(size=(*classes.shape, 28, 28)) ** 0.5 if form_has_masks else None
    return answers(
        np.sort(moved.reshape(*moved.shape[:2], 2, 2), 2).reshape(moved.shape), scores, classes, masks
    )


@pytest.mark.unhurried
@pytest.mark.parametrize(("source", "kind"), [(coco_2017_300.SOURCE, "bbox"), (coco_2017_640.SOURCE, "segm")])
def test_all_statistics_of_real_images_are_those_of_pycocotools(
    home: Path, tmp_path: Path, source: Coco, kind: str
) -> None:
    folder = coco(tmp_path, source)
    truth = Truth.read(folder)
    several = results(jittered(folder, kind == "segm"), truth, kind == "segm")
    expected = by_pycocotools(truth, several, kind)
    assert expected[0] > 0.05 and min(expected) > 0
    assert statistics(truth, several, kind) == pytest.approx(expected, abs=1e-9, rel=1e-9)


def by_pycocotools(truth: Truth, several: list[dict[str, object]], kind: str) -> list[float]:
    with contextlib.redirect_stdout(io.StringIO()):
        wanted = COCO()
        wanted.dataset = json.loads(json.dumps(dict(truth.coco)))
        wanted.createIndex()
        judge = COCOeval(wanted, wanted.loadRes([dict(one) for one in several]), kind)
        judge.evaluate()
        judge.accumulate()
        judge.summarize()
    return judge.stats.tolist()


@pytest.mark.parametrize("stand_in", [coco_2017_300.STAND_IN, coco_2017_640.STAND_IN])
def test_who_finds_everything_in_a_stand_in_has_full_marks(home: Path, stand_in) -> None:
    folder = prepared.prepare(stand_in, Path())
    boxes, classes, crowd = (np.load(folder / f"test_{name}.npy") for name in ("boxes", "class", "crowd"))
    told = answers(boxes, np.ones(classes.shape), np.where(crowd, 0, classes).astype(int))
    assert judged(folder, told) == pytest.approx(1)
