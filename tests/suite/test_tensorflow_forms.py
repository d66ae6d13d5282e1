"""TensorFlow's fused batch normalisation, which is measured, and that by hand, which float64 takes, are one thing."""

import pytest

pytestmark = pytest.mark.frameworks

FORMS = """
import json, sys
import numpy as np
import tensorflow as tf
from suite.runtimes import tensorflow_runtime
from suite.trainers import tensorflow_layers as layers
tensorflow_runtime.configure(1, "cpu")
generator = np.random.default_rng(1)
x = tf.constant(3.0 + generator.normal(size=(6, 5, 5, 7)), tf.float32)
wide, any = (lambda: generator.uniform(0.5, 2.0, 7)), (lambda: generator.normal(size=7))
drawn = (wide(), any(), any(), wide())
own = [tf.constant(one, tf.float32) for one in drawn]
weight = tf.constant(generator.normal(size=x.shape), tf.float32)

def all_of(form, training):
    with tf.GradientTape() as tape:
        tape.watch([x, *own[:2]])
        found = form(x, own, 1e-5, 0.9, training)
        loss = tf.reduce_sum(weight * found[0])
    return [np.asarray(one).ravel().tolist() for one in (*found, *tape.gradient(loss, [x, *own[:2]]))]

found = {
    str(training): [all_of(form, training) for form in (layers._fused, layers._by_hand)] for training in (True, False)
}
with open(sys.argv[1], "w") as file:
    json.dump(found, file)
"""

NAMES = ("outputs", "mean", "variance", "gradient of x", "gradient of gamma", "gradient of beta")


@pytest.mark.parametrize("training", ["True", "False"])
def test_the_fused_form_and_that_by_hand_agree_in_float32(forms, training):
    for name, fused, by_hand in zip(NAMES, *forms[training], strict=True):
        assert fused == pytest.approx(by_hand, rel=1e-4, abs=1e-4), name


@pytest.fixture(scope="module")
def forms(found_by):
    """Training or not -> what each form gives, with its gradients."""
    return found_by(FORMS, "tensorflow")
