"""SSD learns real images by heart: eight of COCO, judged by COCO's average precision as a run is."""

import json
from dataclasses import replace

import numpy as np
import pytest

from harness.datasets import coco_2017_300
from harness.datasets.coco_truths import TRUTH
from harness.judges import judge_of
from tests import real_sets

FRAMEWORKS = ("torch", "jax", "tensorflow", "keras", "keras-jax", "keras-torch")
IMAGES, LEAST_AP50 = 8, 0.5
SETTINGS = {
    "most_side": 96, "depth": 11, "channels": 64, "batch_size": IMAGES, "predict_batch_size": IMAGES,
    "learning_rate": 0.005, "warmup_steps": 20, "weight_decay": 0.0,
}  # fmt: skip
STEPS = 100

pytestmark = [pytest.mark.frameworks, pytest.mark.slow]

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import implementation_module, runtime_module
from suite.ssd.spec import SPEC
out, framework, folder, settings, steps, seed = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
spec, seed = SPEC.with_settings(json.loads(settings)), int(seed)
raw = {name: np.load(f"{folder}/test_{name}.npy") for name in ("image", "boxes", "class", "crowd")}
data = spec.inputs(raw, "float32")
Impl = importlib.import_module(implementation_module("ssd", framework)).Impl
one = Impl(spec, spec.initial_weights(seed), "float32", "cpu")
rows = np.arange(spec.batch_size)
losses = [float(one.step(spec.batch(data, rows))) for _ in range(int(steps))]
outputs = one.infer(one.place(spec.without_targets(data)), rows)
answers = {name: array.tolist() for name, array in spec.for_judges(outputs).items()}
with open(out, "w") as file:
    json.dump({"losses": losses, "answers": answers}, file)
"""


@pytest.fixture
def few(home, tmp_path):
    """A folder with the eight images that have the fewest objects, crowds aside, as the test of a set of their own."""
    form = replace(coco_2017_300.SOURCE.form, side=SETTINGS["most_side"])
    place = real_sets.coco(tmp_path, replace(coco_2017_300.SOURCE, form=form))
    arrays = {name: np.load(place / f"test_{name}.npy") for name in ("image", "boxes", "class", "crowd")}
    many = np.where(arrays["crowd"].any(1), 0, (arrays["class"] > 0).sum(1))
    rows = np.argsort(np.where(many, many, many.max() + 1), kind="stable")[:IMAGES]
    folder = tmp_path / "few"
    folder.mkdir()
    for name, array in arrays.items():
        np.save(folder / f"test_{name}.npy", array[rows])
    truth = json.loads((place / TRUTH).read_text())
    images = [truth["images"][row] for row in rows]
    kept = {image["id"] for image in images}
    told = [one for one in truth["annotations"] if one["image_id"] in kept]
    (folder / TRUTH).write_text(json.dumps({**truth, "images": images, "annotations": told}))
    return folder


@pytest.mark.parametrize(
    ("framework", "precision"), [*((name, "fp32") for name in FRAMEWORKS), ("torch", "bf16")]
)
def test_eight_real_images_are_learnt_by_heart(found_by, few, framework, precision):
    settings = json.dumps({**SETTINGS, "precision": precision})
    told = found_by(SCRIPT, framework, framework, str(few), settings, str(STEPS), "0")
    answers = {name: np.array(one, np.int32) for name, one in told["answers"].items()}
    ap50 = judge_of("ap50", few).judge(answers)
    print(
        f"\n{framework}, {precision}: AP50 {ap50:.3f}, loss {told['losses'][0]:.2f} -> {told['losses'][-1]:.3f}"
    )
    assert told["losses"][-1] < 0.5 * told["losses"][0]
    assert ap50 >= LEAST_AP50
