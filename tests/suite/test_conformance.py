"""All implementations of the CNN do the same work: in float64 to the last digits, in float32 to rounding.

The first test of a pair runs `suite.verify` in every framework's own environment. The second plants errors that
a port may have into one implementation, and shows that the same comparison finds each of them.
"""

import json
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from suite.mnist_cnn.spec import SPEC

ROOT = Path(__file__).parents[2]
REFERENCE = "torch"
OTHERS = ("tensorflow", "keras", "keras-jax", "keras-torch", "jax")
STEPS = 20

pytestmark = pytest.mark.frameworks


@dataclass(frozen=True)
class Tolerance:
    """Largest differences: losses relative, the others relative to the array's largest magnitude."""

    logits: float
    gradients: float
    losses: float
    params: float


# Measured: logits 2e-15, gradients 2e-15, losses 3e-15; Keras on TensorFlow 4e-8 (it keeps its momentum in float32).
FLOAT64 = Tolerance(logits=1e-12, gradients=1e-10, losses=1e-12, params=1e-10)
FLOAT64_KERAS = Tolerance(logits=1e-12, gradients=1e-10, losses=1e-7, params=1e-6)
# Only a smoke test: training amplifies rounding. Keras on PyTorch follows to 1e-7 for eleven steps; then rounding
# decides a ReLU or a maximum the other way, and the losses part by 3e-3.
FLOAT32 = Tolerance(logits=1e-5, gradients=1e-5, losses=1e-4, params=1e-3)
FLOAT32_KERAS_TORCH = Tolerance(logits=1e-5, gradients=1e-5, losses=1e-2, params=5e-2)


def differences(record, reference, tolerance):
    """What of `record` is further from `reference` than allowed, as a list of names: empty if equal."""
    found = [] if record["parameters"] == reference["parameters"] else ["parameters"]
    if _distance(record["logits"], reference["logits"]) > tolerance.logits:
        found.append("logits")
    found += _sketches("gradients", record["gradients"], reference["gradients"], tolerance.gradients)
    for name in ("plain", "as_specified"):
        found += _traces(name, record[name], reference[name], tolerance)
    return found


def _traces(name, trace, reference, tolerance):
    losses, expected = np.array(trace["losses"]), np.array(reference["losses"])
    found = [] if (np.abs(losses / expected - 1) <= tolerance.losses).all() else [f"{name} losses"]
    if abs(trace["train_loss"] / losses.mean() - 1) > tolerance.losses:
        found.append(f"{name} train loss")
    found += _sketches(f"{name} params", trace["params"], reference["params"], tolerance.params)
    return found + _sketches(f"{name} train params", trace["train_params"], trace["params"], tolerance.params)


def _sketches(what, sketches, reference, tolerance):
    return [
        f"{what} {name}"
        for name, expected in reference.items()
        if sketches[name]["shape"] != expected["shape"]
        or _distance(sketches[name]["entries"], expected["entries"]) > tolerance
        or _distance(sketches[name]["norm"], expected["norm"]) > tolerance
    ]


def _distance(values, reference):
    return np.abs(np.subtract(values, reference)).max() / np.abs(reference).max()


@pytest.fixture(scope="module")
def record_of(framework_python, tmp_path_factory):
    """A function (framework, dtype) -> what `suite.verify` recorded in that framework's environment."""
    folder = tmp_path_factory.mktemp("records")

    @cache
    def record(framework, dtype):
        out = folder / f"{framework}-{dtype}.json"
        arguments = ["mnist_cnn", framework, str(out), "--dtype", dtype, "--steps", str(STEPS)]
        _python(framework_python(framework), "-m", "suite.verify", *arguments)
        return json.loads(out.read_text())

    return record


def _python(interpreter, *arguments):
    environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    result = subprocess.run([interpreter, *arguments], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stdout == ""


def test_the_reference_has_the_published_size_and_learns(record_of):
    record = record_of(REFERENCE, "float64")
    assert record["parameters"] == sum(array.size for array in SPEC.initial_weights(0).values()) == 268_298
    assert np.mean(record["as_specified"]["losses"][-5:]) < 0.8 * record["as_specified"]["losses"][0]
    assert {"workload", "framework", "version", "dtype"} <= record.keys()


def test_train_takes_the_same_steps_as_step(record_of):
    record = record_of(REFERENCE, "float64")
    assert differences(record, record, FLOAT64) == []


@pytest.mark.parametrize("framework", OTHERS)
def test_float64_agrees_to_the_last_digits(record_of, framework):
    tolerance = FLOAT64_KERAS if framework == "keras" else FLOAT64
    assert differences(record_of(framework, "float64"), record_of(REFERENCE, "float64"), tolerance) == []


@pytest.mark.parametrize("framework", OTHERS)
def test_float32_agrees_to_rounding(record_of, framework):
    tolerance = FLOAT32_KERAS_TORCH if framework == "keras-torch" else FLOAT32
    assert differences(record_of(framework, "float32"), record_of(REFERENCE, "float32"), tolerance) == []


DRIFTS = """
import json, sys
from torch.nn import functional
from suite import verify
from suite.mnist_cnn import torch_impl
from suite.mnist_cnn.spec import SPEC

class Flatten(torch_impl.Net):
    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        return self.dense(x.contiguous().flatten(1))

class Padding(torch_impl.Net):
    def forward(self, x):
        self.conv1.padding = (0, 0)
        return super().forward(functional.pad(x, (2, 0, 2, 0)))

class Softmax(torch_impl.Net):
    def forward(self, x):
        return super().forward(x).softmax(1)

class LearningRate(torch_impl.Impl):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.optimizer.param_groups[0]["lr"] *= 1.01

class WeightDecay(torch_impl.Impl):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.optimizer.param_groups[0]["weight_decay"] = 1e-4

class BatchOrder(torch_impl.Impl):
    def train(self, data, order):
        return super().train(data, order[::-1].copy())

def record(net=torch_impl.Net, implementation=torch_impl.Impl):
    torch_impl.Net, kept = net, torch_impl.Net
    try:
        return verify.record(implementation, SPEC, "float64", "cpu", 3)
    finally:
        torch_impl.Net = kept

records = {"none": record()}
records |= {net.__name__: record(net=net) for net in (Flatten, Padding, Softmax)}
records |= {one.__name__: record(implementation=one) for one in (LearningRate, WeightDecay, BatchOrder)}
with open(sys.argv[1], "w") as file:
    json.dump(records, file)
"""


@pytest.fixture(scope="module")
def drifts(framework_python, tmp_path_factory):
    """Name of a planted error -> what the reference, with that error, recorded over 3 steps."""
    out = tmp_path_factory.mktemp("drifts") / "records.json"
    _python(framework_python(REFERENCE), "-c", DRIFTS, str(out))
    return json.loads(out.read_text())


@pytest.mark.parametrize(
    ("drift", "seen_in"),
    [
        ("Flatten", "logits"),
        ("Padding", "logits"),
        ("Softmax", "gradients dense/kernel"),
        ("LearningRate", "plain losses"),
        ("WeightDecay", "plain losses"),
        ("BatchOrder", "as_specified train loss"),
    ],
)
@pytest.mark.parametrize("tolerance", [FLOAT64, FLOAT64_KERAS], ids=["float64", "keras"])
def test_a_planted_error_is_found(drifts, drift, seen_in, tolerance):
    assert seen_in in differences(drifts[drift], drifts["none"], tolerance)


def test_without_a_planted_error_nothing_is_found(drifts):
    assert differences(drifts["none"], drifts["none"], FLOAT64) == []
