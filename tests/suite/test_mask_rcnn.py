"""Mask R-CNN's numbers: every loss and every detection by NumPy, image by image, and what it refuses."""

import numpy as np
import pytest

from suite.mask_rcnn.spec import LEAST_SCALE, SPEC
from suite.spec import SettingError
from tests.suite.mask_rcnn_by_hand import ByHand

TINY = SPEC.with_settings({**SPEC.proof_settings, "batch_size": 4, "predict_batch_size": 4})
IMAGES = 8
FRAMEWORKS = ("torch", "tensorflow", "keras", "jax")
LOSSES = {"objectness_loss", "anchor_loss", "class_loss", "box_loss", "mask_loss"}


def test_it_has_the_published_size():
    """Detectron2's R-50 FPN has 44.4 million, of which 0.05 are frozen."""
    trained = (shape for name, shape in SPEC.shapes.items() if name.endswith(("/kernel", "/bias")))
    assert sum(int(np.prod(shape)) for shape in trained) == 44_343_216


def test_each_level_has_anchors_of_one_area_and_three_shapes():
    assert [len(one) for one in SPEC.level_anchors] == [3 * side**2 for side in (160, 80, 40, 20, 10)]
    assert [last - first for first, last in SPEC.level_bounds] == [len(one) for one in SPEC.level_anchors]
    for stride, anchors in zip((4, 8, 16, 32, 64), SPEC.level_anchors, strict=True):
        width, height = (anchors[:3, 2:] - anchors[:3, :2]).T
        assert height / width == pytest.approx([0.5, 1, 2], rel=0.05)
        assert width * height == pytest.approx((8 * stride) ** 2, rel=0.05)


def test_the_rate_warms_up_from_a_third():
    rates = SPEC.rates(0, 1000)
    assert rates[0] == pytest.approx(0.005 / 3) and rates[250] == pytest.approx(0.005 * 2 / 3)
    assert (rates[500:] == 0.005).all()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"depth": 11}, "depth must be one of 14, 50, 101, 152, not 11"),
        ({"most_side": 100}, "most_side must be a multiple of 64, not 100"),
        ({"narrowing": 3}, "narrowing must divide 64, not 3"),
        ({"proposals": 20}, "proposals must be at least 24 and at most 80"),
        ({"anchor_scale": 0.4}, "anchor_scale must be at least 0.5 and at most 64"),
        ({"anchor_scale": 1e300}, "anchor_scale must be at least 0.5 and at most 64"),
        ({"rois": 2}, "rois must be at least 4"),
        ({"anchors": 2000}, "anchors must be at least 2 and at most 1023"),
        ({"box_candidates": 5}, "box_candidates must be at least 6"),
        ({"detections": 101, "box_candidates": 110}, "detections must be at least 1 and at most 100"),
        ({"least_score": -0.1}, "least_score must be at least 0"),
        ({"precision": "bf16"}, "precision must be fp32 or tf32"),
    ],
)
def test_a_setting_out_of_range_is_refused(settings, told):
    with pytest.raises(SettingError, match=told):
        TINY.with_settings(settings)


def test_the_smallest_anchors_have_an_area():
    boxes = TINY.with_settings({"anchor_scale": LEAST_SCALE}).all_anchors
    assert (boxes[:, 2:] - boxes[:, :2]).min() > 0


def test_images_of_another_side_are_refused():
    with pytest.raises(SettingError, match="most_side must be 64, the side of the images"):
        TINY.with_settings({"most_side": 128}).inputs(TINY.examples(1, 0), "float32")


def test_a_batch_draws_the_same_for_the_same_rows_and_others_for_others():
    data = TINY.examples(IMAGES, 0)
    one, again, other = (TINY.batch(data, np.array(rows)) for rows in ([1, 2], [1, 2], [2, 1]))
    for name in ("anchor_priority", "roi_priority"):
        assert np.array_equal(one[name], again[name]) and not np.array_equal(one[name], other[name][::-1])
    assert one["mask"].shape == (2, 6, 56, 56) and one["mask"].dtype == bool


def test_whoever_infers_is_given_images_alone():
    asked = TINY.without_targets(TINY.examples(2, 0))
    assert set(TINY.batch(asked, np.arange(2))) == {"image", "extent"}


def test_rarer_classes_are_none():
    data = TINY.with_settings({"most_classes": 80}).examples(IMAGES, 0)
    found = TINY.batch(data, np.arange(IMAGES))["class"]
    assert (data["class"] > 5).any() and found.max() <= 5
    assert np.array_equal(found, np.where(data["class"] > 5, 0, data["class"]))


def test_what_is_compared_does_not_depend_on_the_order_of_detections():
    classes = np.array([[1, 2, 2, 0], [2, 1, 2, 0]])
    outputs = {name: np.zeros((2, 1)) for name in ("pyramid", "told")}
    found = TINY.steady({**outputs, "classes": classes})["found"]
    assert found.tolist() == [[1, 2, 0, 0, 0]] * 2


SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import runtime_module
out, framework, settings = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.mask_rcnn.spec import SPEC
Impl = importlib.import_module(f"suite.mask_rcnn.{framework}_impl").Impl
spec = SPEC.with_settings(json.loads(settings))
data = spec.inputs(spec.examples(8, 1), "float64")
one = Impl(spec, spec.initial_weights(1), "float64", "cpu")

def terms(rows):
    batch = spec.batch(data, np.array(rows))
    if framework == "torch":
        given = one.net.train(), one._seen(one._moved(batch))
        return one.apply(*given, "train")
    if framework == "keras":
        return one.apply(one.net, one._moved(batch), "train")
    return one.apply(dict(one.weights), one._moved(batch), "train")[0]

told = {name: float(value) for name, value in terms([0, 1, 2, 7]).items()}
bare = {name: float(value) for name, value in terms([7, 7, 7, 7]).items()}
answers = one.infer(one.place(spec.without_targets(data)), np.arange(8))
found = {name: array.tolist() for name, array in answers.items() if name != "pyramid"}
with open(out, "w") as file:
    json.dump({"losses": told, "bare": bare, "answers": found}, file)
"""
"""Image 7 has no object, some of the others have crowds."""


@pytest.fixture(scope="module")
def by_hand():
    return ByHand(TINY, TINY.initial_weights(1)), TINY.examples(IMAGES, 1)


@pytest.fixture(scope="module")
def found(found_by, request):
    import json

    settings = json.dumps(
        {**TINY.proof_settings, "batch_size": 4, "predict_batch_size": 4, "mode": "default"}
    )
    kept = {}

    def find(framework):
        if framework not in kept:
            kept[framework] = found_by(SCRIPT, framework, framework, settings)
        return kept[framework]

    return find


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_loss_is_that_of_numpy(found, by_hand, framework):
    hand, data = by_hand
    rows = np.array([0, 1, 2, 7])
    assert (data["crowd"][rows] & (data["class"][rows] > 0)).any() and not data["class"][7].any()
    wanted = hand.losses(TINY.batch(data, rows))
    losses = found(framework)["losses"]
    assert set(losses) == LOSSES
    assert losses == {f"{name}_loss": pytest.approx(value, rel=1e-11) for name, value in wanted.items()}


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_images_without_objects_teach_what_is_none(found, by_hand, framework):
    losses = found(framework)["bare"]
    assert losses["objectness_loss"] > 0.1 and losses["class_loss"] > 0.1
    assert losses["anchor_loss"] == losses["box_loss"] == losses["mask_loss"] == 0.0


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_detection_is_that_of_numpy_in_the_same_order(found, by_hand, framework):
    hand, data = by_hand
    answers = {name: np.array(array) for name, array in found(framework)["answers"].items()}
    for number in range(IMAGES):
        boxes, scores, classes, masks = hand.detections(data["image"][number], data["extent"][number])
        few = len(classes)
        assert few and answers["classes"][number].tolist() == [*classes, *[0] * (TINY.detections - few)]
        assert answers["boxes"][number, :few] == pytest.approx(boxes, rel=1e-11)
        assert answers["confidences"][number, :few] == pytest.approx(scores, rel=1e-11)
        assert answers["masks"][number, :few] == pytest.approx(masks, rel=1e-11)
        assert not answers["masks"][number, few:].any()
