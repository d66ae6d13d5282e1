"""All implementations of a workload do the same work: in float64 to the last digits, in float32 to rounding.

In every framework's own environment a process records what its implementations compute. The last tests plant errors
that a port may have into one implementation, and show that the same comparison finds each of them.
"""

import numpy as np
import pytest

from harness.conformance.asked import provable
from harness.conformance.comparison import compare, failures
from harness.conformance.tolerances import EXACT, LONG, tolerance
from harness.inventory import catalog
from suite.mnist_cnn.spec import SPEC

REFERENCE = "torch"
WORKLOADS = {name: one for name, one in catalog.workloads().items() if provable(name)}
PLACES = [(name, framework) for name, one in WORKLOADS.items() for framework in one.frameworks]
OTHERS = [(name, other) for name, other in PLACES if other != REFERENCE]

KINDS = (EXACT, LONG)  # proofs of kind own are those of a campaign: tests/harness/cli

pytestmark = pytest.mark.frameworks

RECORDS = """
import importlib, json, sys
from suite import verify
from suite.runtimes import implementation_module, runtime_module
out, framework, *workloads = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
records = {}

def three_losses(implementation, spec, dtype):
    spec = spec.with_settings({"batch_size": 16, **spec.proof_settings}).lasting(1, 3)
    one = implementation(spec, spec.initial_weights(1), dtype, "cpu")
    data = spec.inputs(spec.examples(3 * spec.batch_size, 1), dtype)
    return [float(one.step(spec.batch(data, rows))) for rows in spec.order(data, 1, 1)[:3]]

for workload in workloads:
    implementation = importlib.import_module(implementation_module(workload, framework)).Impl
    spec = importlib.import_module(f"suite.{workload}.spec").SPEC
    for kind in ("exact", "long"):
        records[f"{workload} {kind}"] = verify.record(implementation, spec, verify.KINDS[kind], "cpu")
    records[f"{workload} twice"] = [three_losses(implementation, spec, "float32") for _ in range(2)]
with open(out, "w") as file:
    json.dump(records, file)
"""


def differences(found, reference, allowed):
    """Names of the checks that did not pass."""
    return [one.check for one in failures(list(compare(found, reference, allowed)))]


@pytest.fixture(scope="module")
def record_of(request, found_in_each):
    """A function (workload, framework, kind or "twice") -> what was recorded in that framework's environment."""
    tests = [
        item
        for item in request.session.items
        if item.path == request.path and "record_of" in item.fixturenames
    ]
    chosen = {
        item.callspec.params["workload"] if hasattr(item, "callspec") else "mnist_cnn" for item in tests
    }

    def words_of(framework):
        able = (name for name, one in WORKLOADS.items() if framework in one.frameworks)
        return framework, *(name for name in able if name in chosen)

    records = found_in_each(RECORDS, words_of, REFERENCE)
    return lambda workload, framework, what: records[framework].result()[f"{workload} {what}"]


def test_the_reference_has_the_published_size_and_learns(record_of):
    record = record_of("mnist_cnn", REFERENCE, LONG)
    losses = record["losses"]
    assert record["parameters"] == sum(array.size for array in SPEC.initial_weights(0).values()) == 268_298
    assert np.mean(losses[-5:]) < 0.8 * losses[0]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_train_takes_the_same_steps_as_step(record_of, workload):
    record, wider = record_of(workload, REFERENCE, LONG), WORKLOADS[workload].spec.tolerances
    assert differences(record, record, tolerance(REFERENCE, LONG, wider)) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("workload", "framework"), OTHERS)
def test_every_implementation_agrees_with_the_reference(record_of, workload, framework, kind):
    found, reference = (record_of(workload, one, kind) for one in (framework, REFERENCE))
    assert (
        differences(found, reference, tolerance(framework, kind, WORKLOADS[workload].spec.tolerances)) == []
    )


@pytest.mark.parametrize(("workload", "framework"), PLACES)
def test_the_same_training_again_gives_the_same_bits(record_of, workload, framework):
    once, again = record_of(workload, framework, "twice")
    assert once == again
    assert len(set(once)) == 3


DRIFTS = """
import dataclasses, json, sys
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

class Momentum(torch_impl.Impl):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.optimizer.param_groups[0]["momentum"] *= 0.99

class BatchOrder(torch_impl.Impl):
    def train(self, data, order):
        return super().train(data, order[::-1].copy())

def record(net=torch_impl.Net, implementation=torch_impl.Impl):
    torch_impl.Net, kept = net, torch_impl.Net
    try:
        return verify.record(implementation, SPEC, dataclasses.replace(verify.KINDS["exact"], by_train=True), "cpu")
    finally:
        torch_impl.Net = kept

records = {"none": record()}
records |= {net.__name__: record(net=net) for net in (Flatten, Padding, Softmax)}
records |= {one.__name__: record(implementation=one) for one in (LearningRate, WeightDecay, Momentum, BatchOrder)}
with open(sys.argv[1], "w") as file:
    json.dump(records, file)
"""


@pytest.fixture(scope="module")
def drifts(found_by):
    """Name of a planted error -> what the reference, with that error, recorded."""
    return found_by(DRIFTS, REFERENCE)


@pytest.mark.parametrize(
    ("drift", "seen_in"),
    [
        ("Flatten", "outputs"),
        ("Padding", "outputs"),
        ("Softmax", "gradients dense/kernel"),
        ("LearningRate", "losses"),
        ("WeightDecay", "losses"),
        ("Momentum", "losses"),
        ("BatchOrder", "epoch 1 rows"),
    ],
)
@pytest.mark.parametrize("name", ["torch", "keras"])
def test_a_planted_error_is_found(drifts, drift, seen_in, name):
    assert seen_in in differences(drifts[drift], drifts["none"], tolerance(name, EXACT, SPEC.tolerances))


def test_without_a_planted_error_nothing_is_found(drifts):
    assert differences(drifts["none"], drifts["none"], tolerance("torch", EXACT, {})) == []
