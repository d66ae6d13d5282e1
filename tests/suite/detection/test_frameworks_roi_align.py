"""Each framework's RoIAlign from a pyramid is that of the NumPy reference, and so are its gradients: compiled."""

import pytest

FRAMEWORKS = ("torch", "tensorflow", "keras", "keras-jax", "keras-torch", "jax")
ALLOWED = {
    "float64": 1e-12,
    "float32": 1e-5,
}  # of the largest number; in float32 a point is placed to 1e-6 features

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import runtime_module
out, framework, mode = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.detection import roi_align
ported = importlib.import_module(f"suite.detection.{framework.partition('-')[0]}_roi_align").roi_align
SIDES, STRIDES, CHANNELS = ((16, 12), (8, 6), (4, 3)), (4, 8, 16), 3

def drawn():
    "Of two images: boxes inside, across and beyond the edges, empty and inverted ones, on levels of any size."
    generator = np.random.default_rng(1)
    pyramid = [generator.normal(size=(2, *side, CHANNELS)) for side in SIDES]
    rois = generator.uniform(-30, 90, (2, 40, 4))
    rois[:, :30, 2:] = rois[:, :30, :2] + generator.uniform(0, 50, (2, 30, 2))
    rois[:, 0] = 0
    return pyramid, rois, generator.integers(0, len(SIDES), (2, 40)).astype(np.int32)

def reference(pyramid, rois, levels, size):
    def one(image, roi, level):
        return roi_align.roi_align(pyramid[level][image], roi[None], size, 1 / STRIDES[level], 2)[0]
    return np.array([[one(image, *both) for both in zip(rois[image], levels[image])] for image in range(2)])

def by_torch(pyramid, rois, levels, size, weights, dtype):
    import torch
    given = [torch.tensor(one, requires_grad=True) for one in pyramid]
    found = ported(given, torch.tensor(rois), torch.tensor(levels).long(), STRIDES, size)
    (found * torch.tensor(weights)).sum().backward()
    return found.detach().numpy(), [one.grad.numpy() for one in given]

def by_jax(pyramid, rois, levels, size, weights, dtype):
    import jax
    jax.config.update("jax_enable_x64", dtype == "float64")

    @jax.jit
    def both(pyramid, rois):
        def weighted(pyramid):
            found = ported(pyramid, rois, levels, STRIDES, size)
            return (found * weights).sum(), found
        gradients, found = jax.grad(weighted, has_aux=True)(pyramid)
        return found, gradients

    found, gradients = both(pyramid, rois)
    return np.asarray(found), [np.asarray(one) for one in gradients]

def by_tensorflow(pyramid, rois, levels, size, weights, dtype):
    import tensorflow as tf

    @tf.function(jit_compile=mode == "xla", autograph=False)
    def both(pyramid, rois):
        with tf.GradientTape() as tape:
            tape.watch(pyramid)
            found = ported(pyramid, rois, tf.constant(levels), STRIDES, size)
            weighted = tf.reduce_sum(found * weights)
        return found, tape.gradient(weighted, pyramid)

    found, gradients = both([tf.constant(one) for one in pyramid], tf.constant(rois))
    return found.numpy(), [tf.convert_to_tensor(one).numpy() for one in gradients]

CALLS = {"torch": by_torch, "keras-torch": by_torch, "jax": by_jax, "keras-jax": by_jax}

def apart(found, wanted):
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())

def of(dtype):
    if framework.startswith("keras"):
        from suite.keras_backends import set_dtype
        set_dtype(dtype)
    pyramid, rois, levels = drawn()
    told = {}
    for size in (7, 2):
        wanted = reference(pyramid, rois, levels, size)
        weights = np.random.default_rng(2).normal(size=wanted.shape)
        narrow = [one.astype(dtype) for one in pyramid], rois.astype(dtype), levels, size, weights.astype(dtype)
        found, gradients = CALLS.get(framework, by_tensorflow)(*narrow, dtype)
        # It is linear in the features: by its gradients the same sum of weighted cells, of other features, too.
        moved = [np.random.default_rng(3).normal(size=one.shape) for one in pyramid]
        sums = sum((one * gradient).sum() for one, gradient in zip(moved, gradients))
        exact = (reference(moved, rois, levels, size) * weights).sum()
        told[f"cells {size}"] = apart(found, wanted)
        told[f"gradients {size}"] = abs(float(sums / exact) - 1)
    return told

with open(out, "w") as file:
    json.dump({dtype: of(dtype) for dtype in ("float64", "float32")}, file)
"""


@pytest.mark.parametrize(
    ("framework", "mode"),
    [*((name, "default") for name in FRAMEWORKS), ("tensorflow", "xla"), ("keras", "xla")],
)
def test_it_is_that_of_the_reference(found_by, framework, mode):
    told = found_by(SCRIPT, framework, framework, mode)
    for dtype, found in told.items():
        assert len(found) == 4
        assert {name: apart for name, apart in found.items() if not apart <= ALLOWED[dtype]} == {}
