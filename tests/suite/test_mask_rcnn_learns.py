"""Mask R-CNN learns eight real images by heart: what it then finds in them is what is there, by COCO's judge."""

import json

import numpy as np
import pytest

from harness.datasets import coco_2017_640
from harness.judges import judge_of
from tests import real_sets

FRAMEWORKS = ("torch", "jax", "tensorflow", "keras")
SIDE, IMAGES, MOST_OBJECTS = 192, 8, 6
SETTINGS = {
    "most_side": SIDE, "depth": 14, "narrowing": 2, "channels": 64, "hidden": 256, "anchor_scale": 4.0,
    "usual_side": 64.0, "train_candidates": 300, "candidates": 300, "proposals": 200, "anchors": 128, "rois": 64,
    "box_candidates": 200, "detections": 30, "learning_rate": 0.01, "warmup_steps": 50, "iterations": 150,
    "evaluate_every": 150,
}  # fmt: skip
LEAST = {"ap50": 0.5, "mask_ap50": 0.4}

# Two minutes of one CPU.
pytestmark = [pytest.mark.frameworks, pytest.mark.slow, pytest.mark.timeout(3000)]

TRAINED = """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite import data
from suite.mask_rcnn.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
out, framework, folder, settings = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("mask_rcnn", framework)).Impl
spec = SPEC.with_settings(json.loads(settings))
raw = data.load(Path(folder))
train, test = (spec.inputs(one, "float32") for one in (raw.train, raw.test))
one = Impl(spec, spec.initial_weights(1), "float32", "cpu")
taught, asked = one.place(train), one.place(spec.without_targets(test))
one.compile(taught, "train")
order = spec.order(raw.train, 1, 1)
losses = [one.train(taught, part).loss for part in np.array_split(order, 15)]
found = one.infer(asked, np.arange(len(test["image"])))
np.savez(Path(folder) / "found.npz", **spec.for_judges(found))
with open(out, "w") as file:
    json.dump(losses, file)
"""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_eight_real_images_are_learnt(home, found_by, tmp_path, framework):
    folder = real_sets.few_of_coco(tmp_path, coco_2017_640.SOURCE, SIDE, IMAGES, MOST_OBJECTS)
    losses = found_by(TRAINED, framework, framework, str(folder), json.dumps(SETTINGS))
    with np.load(folder / "found.npz") as archive:
        answers = dict(archive)
    told = {name: judge_of(name, folder).judge(answers) for name in ("ap", "mask_ap", *LEAST)}
    print(f"\n{framework}: loss {losses[0]:.2f} to {losses[-1]:.2f}, {told}")
    assert losses[-1] <= losses[0] / 2
    assert all(told[name] >= least for name, least in LEAST.items())
