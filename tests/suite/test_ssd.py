"""SSD against itself by NumPy: features, every part of the loss, and detections, in every framework; and its spec."""

import json

import numpy as np
import pytest

from harness.datasets import coco_2017_300, prepared
from harness.datasets.synthetic_coco import CLASSES as STAND_IN_CLASSES
from harness.judges import judge_of
from harness.planning import applicability
from harness.records import Treatment
from suite.spec import SettingError
from suite.ssd.spec import CLASSES, SIDES, SPEC
from tests.suite import ssd_by_hand

SMALL = SPEC.with_settings({**SPEC.proof_settings, "batch_size": 6, "predict_batch_size": 6})
FRAMEWORKS = ("torch", "tensorflow", "keras", "keras-jax", "keras-torch", "jax")
STAND_IN = SPEC.with_dataset("synthetic-coco_2017_300")
SYNTHETIC_SIDES = {"ssd": 96, "mask_rcnn": 128}


def test_at_300_pixels_it_has_the_published_maps_and_boxes():
    assert SPEC.maps == [38, 19, 10, 5, 3, 1]
    assert len(SPEC.defaults) == 8732
    assert [kernel[-1] // 4 for name, kernel in SPEC.heads.items() if name.startswith("offsets")] == [
        4, 6, 6, 6, 4, 4,
    ]  # fmt: skip
    assert [extra.spread.channels for extra in SPEC.extras] == [512, 512, 256, 256, 256]
    assert [extra.squeeze.channels for extra in SPEC.extras] == [256, 256, 128, 128, 128]


def test_its_default_boxes_are_the_published_ones():
    """Of 300 pixels a side: squares of 21 to 261 pixels, centred in cells of 8 to 300."""
    first, last = SPEC.defaults[0], SPEC.defaults[-4]
    assert first == pytest.approx([4 - 10.5, 4 - 10.5, 4 + 10.5, 4 + 10.5])
    assert last == pytest.approx([150 - 130.5, 150 - 130.5, 150 + 130.5, 150 + 130.5])


@pytest.mark.parametrize("side", [32, 40, 48, 64, 96, 128, 160, 256, 300])
def test_any_side_has_boxes_within_reach_of_it(side):
    spec = SPEC.with_settings({"most_side": side})
    assert spec.maps[-1] <= 2 and len(spec.heads) == 2 * len(spec.maps)
    kernels = [one for name, one in spec.heads.items() if name.startswith("offsets")]
    places = sum(one**2 * kernel[-1] // 4 for one, kernel in zip(spec.maps, kernels, strict=True))
    assert len(spec.defaults) == places
    centres = (spec.defaults[:, :2] + spec.defaults[:, 2:]) / 2
    assert centres.min() > 0 and centres.max() <= 1.1 * side


def test_the_data_sets_have_the_sides_and_classes_that_it_knows():
    sources = {one.name: one for one in (coco_2017_300.SOURCE, coco_2017_300.STAND_IN)}
    assert {name: one.form.side for name, one in sources.items()} == SIDES
    assert CLASSES["synthetic-coco_2017_300"] == len(STAND_IN_CLASSES)


def test_images_of_another_side_are_refused():
    with pytest.raises(SettingError, match="most_side must be 96"):
        SPEC.with_settings({"most_side": 64}).inputs(STAND_IN.examples(2, 1), "float32")


def test_a_side_that_the_data_set_has_not_is_left_out_before_anything_runs(monkeypatch):
    monkeypatch.setattr(prepared, "train_samples", lambda name: 1000)
    for workload, dataset in (("ssd", "coco_2017_300"), ("mask_rcnn", "coco_2017_640")):
        asked = {"version": "1", "stage": "infer", "dataset": f"synthetic-{dataset}"}
        one = Treatment(workload=workload, framework="torch", settings={"most_side": 64}, **asked)
        side = SYNTHETIC_SIDES[workload]
        wanted = f"most_side is 64, and the images in the data set are {side} pixels wide: set it so"
        assert applicability.why_not(one, compiler=False) == wanted
        right = one.model_copy(update={"settings": {"most_side": side}})
        assert applicability.why_not(right, compiler=False) == ""


def test_objects_of_rarer_classes_are_none():
    examples = STAND_IN.examples(8, 1)
    batch = STAND_IN.with_settings({"most_classes": 2}).batch(examples, np.arange(8))
    assert np.array_equal(batch["class"], np.where(examples["class"] <= 2, examples["class"], 0))
    assert examples["class"].max() == 4 and batch["class"].max() == 2


def test_the_rate_warms_up_to_a_quarter_of_that_of_four_times_the_batch():
    rates = SPEC.rates(0, 400)
    assert rates[0] == pytest.approx(0.00065 / 300) and rates[149] == pytest.approx(0.00065 / 2)
    assert (rates[299:] == 0.0026 * 8 / 32).all()
    assert np.array_equal(SPEC.rates(290, 20), rates[290:310])


@pytest.mark.parametrize(
    ("name", "value"),
    [("depth", 12), ("batch_size", 1), ("channels", 30), ("nms_threshold", 1.5), ("score_threshold", -0.1)],
)
def test_a_setting_out_of_range_is_refused(name, value):
    with pytest.raises(SettingError, match=f"{name} must be"):
        SPEC.with_settings({name: value})


def test_the_host_judges_right_answers_as_perfect(home, tmp_path):
    coco_2017_300.STAND_IN.write(tmp_path, tmp_path)
    truth = {name: np.load(tmp_path / f"test_{name}.npy") for name in ("boxes", "class", "crowd")}
    right = {
        "boxes": truth["boxes"],
        "confidences": np.where(truth["class"] > 0, 0.9, 0).astype(np.float32),
        "classes": np.where(truth["crowd"], 0, truth["class"]).astype(np.int32),
    }
    told = STAND_IN.for_judges(right)
    assert [judge_of(metric, tmp_path).judge(told) for metric in SPEC.judged_on_host] == [1.0, 1.0]
    other = {**right, "classes": np.where(right["classes"] > 0, right["classes"] % 4 + 1, 0)}
    assert judge_of("ap", tmp_path).judge(STAND_IN.for_judges(other)) < 0.1


def test_what_is_compared_in_32_bits_knows_no_order():
    generator = np.random.default_rng(0)
    outputs = {"classes": generator.integers(0, 5, (3, 10)), "told": generator.normal(size=(3, 9))}
    turned = {**outputs, "classes": outputs["classes"][:, ::-1]}
    steady = STAND_IN.steady(outputs)
    assert all(np.array_equal(one, STAND_IN.steady(turned)[name]) for name, one in steady.items())
    assert steady["found"][0].tolist() == [(outputs["classes"][0] == label).sum() for label in range(1, 5)]


SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import implementation_module, runtime_module
from suite.ssd.spec import SPEC
out, framework, settings = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
module = importlib.import_module(implementation_module("ssd", framework))
multibox = importlib.import_module(f"suite.ssd.{framework.partition('-')[0]}_multibox")
spec = SPEC.with_settings(json.loads(settings))
raw = spec.examples(spec.batch_size, 3)
raw["class"][1] = 0  # an image without objects
raw["class"][2], raw["crowd"][2] = 1, [True, False, True, False]
batch = spec.batch(spec.inputs(raw, "float64"), np.arange(spec.batch_size))
one = module.Impl(spec, spec.initial_weights(4), "float64", "cpu")
defaults = one.defaults if framework == "torch" else one._defaults()

def outputs(batch):
    if framework in ("tensorflow", "jax"):
        return one.apply(dict(one.weights), batch, "train")[0]
    return one.apply(one.net, batch, "train")

def told(batch):
    "What the network tells in training, the parts of the loss, and what is detected in it."
    found = dict(outputs(batch))
    parts = multibox.losses(found["offsets"], found["logits"], batch, defaults, spec)
    seen = multibox.detected(found["offsets"], 3 * found["logits"], defaults, spec)
    return {**found, **parts, **seen, "loss": one.loss(found, batch)}

if framework in ("jax", "keras-jax"):
    import jax
    told = jax.jit(told)
moved = one._moved(batch)
found = told(one._seen(moved) if framework == "torch" else moved)

def on_host(tensor):
    return np.asarray(tensor.detach() if hasattr(tensor, "detach") else tensor, np.float64).tolist()

with open(out, "w") as file:
    json.dump({name: on_host(one) for name, one in found.items()}, file)
"""


@pytest.fixture(scope="module")
def found(found_in_each):
    settings = json.dumps({**SPEC.proof_settings, "batch_size": 6, "predict_batch_size": 6})
    return found_in_each(SCRIPT, lambda framework: [framework, settings], "torch")


def of(found, framework):
    return {name: np.array(one) for name, one in found[framework].result().items()}


def batch():
    raw = SMALL.examples(6, 3)
    raw["class"][1] = 0
    raw["class"][2], raw["crowd"][2] = 1, [True, False, True, False]
    return SMALL.batch(raw, np.arange(6))


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_part_of_the_loss_is_that_by_hand(found, framework):
    told = of(found, framework)
    parts = ssd_by_hand.losses(SMALL, told["offsets"], told["logits"], batch())
    assert parts["matched"][1] == 0 and min(parts["matched"][:1] + parts["matched"][2:]) > 0
    for name, one in parts.items():
        assert told[name] == pytest.approx(np.array(one), rel=1e-12), name
    assert told["loss"] == pytest.approx(ssd_by_hand.loss(parts), rel=1e-12)


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_it_detects_what_is_detected_by_hand(found, framework):
    told = of(found, framework)
    for number in range(6):
        by_hand = ssd_by_hand.detected(SMALL, told["offsets"][number], 3 * told["logits"][number])
        many = len(by_hand["classes"])
        assert many > 3
        for name, one in by_hand.items():
            assert told[name][number][:many] == pytest.approx(one, rel=1e-12, abs=1e-9), name
            assert not told[name][number][many:].any()


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS[1:])
def test_the_features_that_the_heads_tell_of_are_the_same(found, framework):
    """From the same weights, in training, with the statistics of the batch."""
    told, reference = of(found, framework), of(found, "torch")
    for name in ("offsets", "logits"):
        largest = np.abs(reference[name]).max()
        assert np.abs(told[name] - reference[name]).max() < 1e-12 * largest, name
