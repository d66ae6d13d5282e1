"""All implementations of the CNN do the same work: in float64 to the last digits, in float32 to rounding.

Workers record in every framework's own environment what they compute. The last tests plant errors that
a port may have into one implementation, and shows that the same comparison finds each of them.
"""

import json
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from harness.conformance.comparison import compare, failures
from harness.conformance.recording import record, request_for
from harness.conformance.tolerances import FLOAT32, FLOAT64, tolerance
from harness.environments.frameworks import framework
from harness.environments.virtualenv import VirtualenvEnvironment
from suite.mnist_cnn.spec import SPEC

ROOT = Path(__file__).parents[2]
REFERENCE = "torch"
OTHERS = ("tensorflow", "keras", "keras-jax", "keras-torch", "jax")

pytestmark = pytest.mark.frameworks


def differences(found, reference, allowed):
    """Names of the checks that did not pass."""
    return [one.check for one in failures(list(compare(found, reference, allowed)))]


@pytest.fixture(scope="module")
def record_of():
    """A function (framework, dtype) -> what a worker recorded in that framework's environment."""

    @cache
    def environment(name):
        one = VirtualenvEnvironment(framework(name), framework(name).default_version)
        one.prepare()
        return one

    @cache
    def recorded(name, dtype):
        return record(environment(name), request_for("mnist_cnn", name, dtype, "cpu"))

    return recorded


def _python(interpreter, *arguments):
    environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    result = subprocess.run([interpreter, *arguments], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stdout == ""


def test_the_reference_has_the_published_size_and_learns(record_of):
    record = record_of(REFERENCE, FLOAT64)
    assert record["parameters"] == sum(array.size for array in SPEC.initial_weights(0).values()) == 268_298
    assert np.mean(record["as_specified"]["losses"][-5:]) < 0.8 * record["as_specified"]["losses"][0]
    assert {"workload", "framework", "version", "dtype"} <= record.keys()


def test_train_takes_the_same_steps_as_step(record_of):
    record = record_of(REFERENCE, FLOAT64)
    assert differences(record, record, tolerance(REFERENCE, FLOAT64, {})) == []


@pytest.mark.parametrize("name", OTHERS)
def test_float64_agrees_to_the_last_digits(record_of, name):
    allowed = tolerance(name, FLOAT64, SPEC.tolerances)
    assert differences(record_of(name, FLOAT64), record_of(REFERENCE, FLOAT64), allowed) == []


@pytest.mark.parametrize("name", OTHERS)
def test_float32_agrees_to_rounding(record_of, name):
    allowed = tolerance(name, FLOAT32, SPEC.tolerances)
    assert differences(record_of(name, FLOAT32), record_of(REFERENCE, FLOAT32), allowed) == []


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
@pytest.mark.parametrize("name", ["torch", "keras"])
def test_a_planted_error_is_found(drifts, drift, seen_in, name):
    assert seen_in in differences(drifts[drift], drifts["none"], tolerance(name, FLOAT64, SPEC.tolerances))


def test_without_a_planted_error_nothing_is_found(drifts):
    assert differences(drifts["none"], drifts["none"], tolerance("torch", FLOAT64, {})) == []
