"""All implementations of a workload do the same work: in float64 to the last digits, in float32 to rounding.

The program's own proof says it. The last tests plant errors that a port may have into one implementation, and show that
the same comparison finds each of them.
"""

import numpy as np
import pytest

from harness.conformance.comparison import compare, failures
from harness.conformance.kept_proofs import CERTIFICATE_FILE, PROOFS
from harness.conformance.tolerances import EXACT, OWN, tolerance
from suite.mnist_cnn.spec import SPEC
from tests.homes import link_environments
from tests.proofs import BACKENDS, EACH_CI, KINDS, WORKLOADS, verified
from tests.rotation import rotating

REFERENCE = "torch"
PLACES = [(name, framework) for name, one in WORKLOADS.items() for framework in one.frameworks]
ON_BACKENDS = [one for one in PLACES if one[1] in BACKENDS]
SHARE = {*rotating(map(" on ".join, ON_BACKENDS), 1)}  # in every CI
REPEATED = ("mnist_cnn", "ncf")  # of convolutions, of embeddings

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(3000)]  # who comes first waits for all proofs


def by_place(certificate):
    """(workload, framework, kind of proof) -> it."""
    proofs = PROOFS.validate_json(certificate.read_bytes())
    return {(one.workload, one.framework, one.kind): one for one in proofs}


@pytest.fixture(scope="module")
def proofs(certificate):
    return by_place(certificate)


@pytest.mark.parametrize(
    ("workload", "framework", "kind"),
    [
        pytest.param(
            name, framework, kind, marks=() if (name, framework, kind) in EACH_CI else pytest.mark.slow
        )
        for name, framework in PLACES
        if framework not in BACKENDS
        for kind in KINDS
    ],
)
def test_every_implementation_agrees_with_the_reference(proofs, workload, framework, kind):
    assert_agrees(proofs[workload, framework, kind])


@pytest.mark.parametrize(("workload", "dataset"), [("mnist_cnn", "digits"), ("resnet", "synthetic-cifar10")])
def test_the_standard_profile_is_proven_where_nobody_has_its_data(tmp_path, workload, dataset):
    """Those of whose standard settings rounding grows most: by the rate on small digits, and by 50 layers."""
    link_environments(tmp_path / "home")
    told = verified(tmp_path / "home", [workload], ["torch", "jax"], [OWN], profile="standard")
    proofs = [one for one in PROOFS.validate_json((tmp_path / "home" / CERTIFICATE_FILE).read_bytes())]
    assert len({one.settings for one in proofs}) == (
        2 if workload == "resnet" else 1
    )  # of 50 and of 11 layers
    for proof in proofs:
        assert proof.dataset == dataset, told
        assert_agrees(proof)


@pytest.fixture(scope="module")
def proofs_of_backends(request, tmp_path_factory):
    """Of what the chosen tests name."""
    home = tmp_path_factory.mktemp("backends") / "home"
    link_environments(home)
    ours = [
        item for item in request.session.items if "proofs_of_backends" in getattr(item, "fixturenames", ())
    ]
    workloads, frameworks = (
        {item.callspec.params[one] for item in ours} for one in ("workload", "framework")
    )
    told = verified(home, workloads, [REFERENCE, *sorted(frameworks)])
    assert (home / CERTIFICATE_FILE).exists(), told
    return by_place(home / CERTIFICATE_FILE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("workload", "framework"),
    [pytest.param(*one, marks=() if " on ".join(one) in SHARE else pytest.mark.slow) for one in ON_BACKENDS],
)
def test_so_does_every_backend_of_keras(proofs_of_backends, workload, framework, kind):
    assert_agrees(proofs_of_backends[workload, framework, kind])


def assert_agrees(proof):
    assert [one for one in proof.checks if not one.passed] == []
    assert proof.passed
    assert proof.reference.startswith(f"{REFERENCE} ")
    assert any(one.check.startswith("gradients ") for one in proof.checks) is (proof.kind == EXACT)
    assert any(one.check.startswith("train moved ") for one in proof.checks) is (proof.kind != EXACT)


LOSSES = """
import importlib, json, sys
from suite.runtimes import implementation_module, runtime_module
out, framework, *workloads = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")

def three_losses(workload):
    spec = importlib.import_module(f"suite.{workload}.spec").SPEC
    spec = spec.with_settings({"batch_size": 16, **spec.proof_settings}).lasting(1, 3)
    implementation = importlib.import_module(implementation_module(workload, framework)).Impl
    one = implementation(spec, spec.initial_weights(1), "float32", "cpu")
    data = spec.inputs(spec.examples(3 * spec.batch_size, 1), "float32")
    return [float(one.step(spec.batch(data, rows))) for rows in spec.order(data, 1, 1)[:3]]

with open(out, "w") as file:
    json.dump({workload: [three_losses(workload) for _ in range(2)] for workload in workloads}, file)
"""


@pytest.fixture(scope="module")
def losses(found_in_each):
    return found_in_each(LOSSES, lambda framework: [framework, *REPEATED])


@pytest.mark.parametrize(("workload", "framework"), [one for one in PLACES if one[0] in REPEATED])
def test_the_same_training_again_gives_the_same_bits(losses, workload, framework):
    once, again = losses[framework].result()[workload]
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

def record(net=torch_impl.Net, implementation=torch_impl.Impl, kind="exact"):
    torch_impl.Net, kept = net, torch_impl.Net
    try:
        return verify.record(implementation, SPEC, dataclasses.replace(verify.KINDS[kind], by_train=True), "cpu")
    finally:
        torch_impl.Net = kept

records = {"none": record(), "long": record(kind="long")}
records |= {net.__name__: record(net=net) for net in (Flatten, Padding, Softmax)}
records |= {one.__name__: record(implementation=one) for one in (LearningRate, WeightDecay, Momentum, BatchOrder)}
with open(sys.argv[1], "w") as file:
    json.dump(records, file)
"""


def differences(found, reference, allowed):
    """Names of the checks that did not pass."""
    return [one.check for one in failures(list(compare(found, reference, allowed)))]


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


def test_the_reference_has_the_published_size_and_learns(drifts):
    record = drifts["long"]
    losses = record["losses"]
    assert record["parameters"] == sum(array.size for array in SPEC.initial_weights(0).values()) == 268_298
    assert np.mean(losses[-5:]) < 0.8 * losses[0]
