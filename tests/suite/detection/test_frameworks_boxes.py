"""Each framework's geometry is that of the NumPy reference: compiled, of several images at once, and with its ties.

Whole coordinates make many overlaps equal: which of two equally good boxes is taken must not depend on a framework.
"""

import pytest

FRAMEWORKS = ("torch", "tensorflow", "keras", "keras-jax", "keras-torch", "jax")
DTYPES = ("float64", "float32")
# Of the largest number. Decisions and overlaps may not differ; a logarithm may in its last digits, and what XLA
# multiplies by a reciprocal.
ALLOWED = {"encode": 5e-7, "decode": 5e-7, "covered": 2e-7}

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import runtime_module
out, framework, mode = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.detection import anchors, boxes, matching, suppression
ported = importlib.import_module(f"suite.detection.{framework.partition('-')[0]}_boxes")
WEIGHTS, IMAGES, CLASSES = (10.0, 10.0, 5.0, 5.0), 3, 2

def placed(dtype):
    "A function: array -> the framework's."
    if framework.startswith("keras"):
        from keras import ops
        from suite.keras_backends import set_dtype
        set_dtype(dtype)
        return ops.convert_to_tensor
    if framework == "torch":
        import torch
        return torch.from_numpy
    if framework == "jax":
        import jax
        jax.config.update("jax_enable_x64", dtype == "float64")
        return jax.numpy.asarray
    import tensorflow
    return tensorflow.constant

def compiled(function):
    if framework in ("jax", "keras-jax"):
        import jax
        return jax.jit(function)
    if framework in ("tensorflow", "keras"):
        import tensorflow as tf
        return tf.function(function, jit_compile=mode == "xla", autograph=False)
    return function

def on_host(found):
    return found.numpy() if hasattr(found, "numpy") else np.asarray(found)

def several(generator, *shape, whole):
    "Boxes in and around an image of 32 pixels, an empty one among them."
    corners = generator.integers(-4, 30, (*shape, 2)) if whole else generator.uniform(-4, 30, (*shape, 2))
    sizes = generator.integers(1, 16, (*shape, 2)) if whole else generator.uniform(1, 16, (*shape, 2))
    found = np.concatenate([corners, corners + sizes], -1).astype(float)
    found[..., 0, :] = 0
    return found

def inputs(dtype, whole):
    generator = np.random.default_rng(1)
    shapes = {"truth": (7,), "seen": (90,), "other": (90,), "candidates": (CLASSES, 45)}
    given = {name: several(generator, IMAGES, *shape, whole=whole) for name, shape in shapes.items()}
    given["deltas"] = generator.normal(0, 2, given["seen"].shape)
    given["deltas"][0, 0] = 200
    given["scores"] = generator.integers(0, 12, (IMAGES, CLASSES, 45)).astype(float)
    given["scores"][given["scores"] == 0] = -np.inf
    given["fixed"] = anchors.default_boxes(32, (4, 2, 1), (8, 16, 32), (6, 12, 20, 28), ((2,), (2, 3), (2,)))
    given = {name: one.astype(dtype) for name, one in given.items()}
    valid, crowd = generator.random((2, IMAGES, 7)) < 0.7
    valid[0] = False
    overlap = by_image(lambda one: boxes.iou(one, given["fixed"]), given["truth"])
    return given | {"valid": valid, "crowd": crowd, "overlap": overlap}

RULES = ((0.5, 0.5, True, False), (0.3, 0.7, True, True), (0.4, 0.6, False, False))

def ported_all(truth, seen, other, candidates, deltas, scores, fixed, valid, crowd, overlap):
    found = {
        "iou": ported.iou(truth, seen),
        "covered": ported.covered(truth, seen),
        "clipped": ported.clipped(seen, 20, 30),
        "encode": ported.encode(seen, other, WEIGHTS),
        "decode": ported.decode(deltas, seen, WEIGHTS),
        "crowded": ported.crowded(truth, crowd, fixed, 0.5),
    }
    found |= {f"match {rule}": ported.match(overlap, valid, *rule, found["crowded"]) for rule in RULES}
    return found | {f"nms {most}": ported.nms(candidates, scores, 0.4, most) for most in (9, 60)}

def reference_all(truth, seen, other, candidates, deltas, scores, fixed, valid, crowd, overlap):
    found = {
        "iou": boxes.iou(truth, seen),
        "covered": boxes.covered(truth, seen),
        "clipped": boxes.clipped(seen, 20, 30),
        "encode": boxes.encode(seen, other, WEIGHTS),
        "decode": boxes.decode(deltas, seen, WEIGHTS),
        "crowded": by_image(lambda one, many: matching.crowded(one, many, fixed, 0.5), truth, crowd),
    }
    given = overlap, valid, found["crowded"]
    for rule in RULES:
        found[f"match {rule}"] = by_image(lambda one, which, many: matching.match(one, which, *rule, many), *given)
    several = {"candidates": candidates, "scores": scores}
    return found | {f"nms {most}": suppressed(several, 0.4, most) for most in (9, 60)}

def suppressed(given, threshold, most):
    pairs = (one for two in zip(given["candidates"], given["scores"]) for one in zip(*two))
    each = [suppression.nms(*one, threshold, most) for one in pairs]
    return np.reshape(each, (IMAGES, CLASSES, most))

def by_image(function, *given):
    return np.stack([function(*(one[number] for one in given)) for number in range(len(given[0]))])

def apart(found, wanted):
    if found.shape != wanted.shape or not np.isfinite(found).all():
        return None
    found, wanted = (one.astype(float) for one in (found, wanted))
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())

def of(dtype):
    place, call = placed(dtype), compiled(ported_all)
    for whole in (True, False):
        given = inputs(dtype, whole)
        found, wanted = call(**{name: place(one) for name, one in given.items()}), reference_all(**given)
        if whole:  # or nobody would see that a box suppresses what it overlaps by just the threshold
            by_less = suppressed(given, np.nextafter(0.4, 0), 60)
            assert dtype == "float32" or not np.array_equal(by_less, wanted["nms 60"])
        for name, one in wanted.items():
            yield f"{name}, {'whole' if whole else 'any'}", apart(on_host(found[name]), one)

told = {dtype: dict(of(dtype)) for dtype in ("float64", "float32")}
with open(out, "w") as file:
    json.dump(told, file)
"""


@pytest.mark.parametrize(
    ("framework", "mode"),
    [*((name, "default") for name in FRAMEWORKS), ("tensorflow", "xla"), ("keras", "xla")],
)
def test_it_is_that_of_the_reference(found_by, framework, mode):
    told = found_by(SCRIPT, framework, framework, mode)
    for dtype in DTYPES:
        assert len(told[dtype]) == 22
        for name, apart in told[dtype].items():
            share = 1e-8 if dtype == "float64" else 1
            assert apart is not None, (dtype, name)
            assert apart <= ALLOWED.get(name.partition(",")[0], 0.0) * share, (dtype, name)
