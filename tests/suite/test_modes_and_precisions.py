"""Every mode of a framework does the same work, and 16 bits train as 32 do: measured on the CNN.

In every framework's own environment one process trains a few steps in each of its modes in float64, and in its default
mode in float32 and in bfloat16.
"""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from harness.conformance.comparison import compare, failures
from harness.conformance.tolerances import EXACT, tolerance
from harness.environments.choose import Choice
from harness.environments.frameworks import framework as framework_named
from harness.planning import applicability
from suite.mnist_cnn.spec import SPEC
from tests.rotation import rotating

REFERENCE = "torch"
BY_XLA = ("tensorflow", "keras", "jax")
FRAMEWORKS = (REFERENCE, *BY_XLA)
SHARE = (REFERENCE, *rotating(BY_XLA, 1))  # in every CI
# torch.compile needs a C++ compiler, which a machine without development tools lacks.
MODES = [
    (name, mode)
    for name in FRAMEWORKS
    for mode in framework_named(name).modes
    if not applicability.why_no_mode(
        framework_named(name), mode, applicability.has_compiler(Choice("virtualenv"))
    )
]
# Of the losses of ten steps; measured: at most 4e-3.
BF16_TOLERANCE = 2e-2

pytestmark = pytest.mark.frameworks

RECORDS = """
import importlib, json, sys
import numpy as np
from suite import verify
from suite.mnist_cnn.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
out, framework, *modes = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("mnist_cnn", framework)).Impl
STEPS, BATCH = 3, 16

def brief(spec):
    # Of suite.verify.record what takes few compilations: `infer`, and `train`, which is what is measured.
    one = Impl(spec, spec.initial_weights(1), "float64", "cpu")
    data = one.place(spec.inputs(spec.examples(STEPS * BATCH, 1), "float64"))
    everything = np.arange(STEPS * BATCH)
    def outputs():
        return {name: verify.sketch(array) for name, array in one.infer(data, everything).items()}
    before = outputs()
    loss = one.train(data, spec.order(data, 1, 1)).loss
    params = {name: verify.sketch(array) for name, array in one.params().items()}
    answers = outputs()
    told = {"scores": {"all": answers["scores"], "probed": [[1.0]], "again": [[1.0]]}}
    epoch = {"loss": loss, "rows": "", "answers": told}
    fixed = {"mode": one.mode, "parameters": 0, "gradients": {}, "epochs": [epoch], "restored": answers}
    weights = dict.fromkeys(("early", "moved", "trained"), params)
    return {**fixed, **weights, "outputs": before, "losses": [loss], "answers": answers}

found = {mode: brief(SPEC.with_settings({"mode": mode, "batch_size": BATCH})) for mode in modes}
examples = SPEC.examples(32, 1)
for precision in ("fp32", "bf16"):
    spec = SPEC.with_settings({"precision": precision, "batch_size": 32, "learning_rate": 0.02})
    one = Impl(spec, spec.initial_weights(1), "float32", "cpu")
    batch = spec.inputs(examples, "float32")
    found[precision] = [float(one.step(batch)) for _ in range(10)]
with open(out, "w") as file:
    json.dump(found, file)
"""


@pytest.fixture(scope="module")
def found(found_in_each):
    """A function: framework -> its record in each mode, and its losses in each precision."""
    records = found_in_each(RECORDS, lambda name: [name, *_modes(name)], REFERENCE)
    return lambda name: records[name].result()


def _modes(framework):
    return [mode for name, mode in MODES if name == framework]


def of_share(places):
    """Of (framework, what else): the others are slow."""
    return [pytest.param(*one, marks=() if one[0] in SHARE else pytest.mark.slow) for one in places]


@pytest.mark.parametrize(("framework", "mode"), of_share(MODES))
def test_every_mode_agrees_with_the_reference(found, framework, mode):
    record, reference = found(framework)[mode], found(REFERENCE)["eager"]
    allowed = tolerance(framework, EXACT, SPEC.tolerances)
    allowed = replace(allowed, first_loss=allowed.losses)  # the first loss here is the mean of all steps
    assert record["mode"] == mode
    assert [one.check for one in failures(list(compare(record, reference, allowed)))] == []


@pytest.mark.parametrize(("framework",), of_share(zip(FRAMEWORKS, strict=True)))
def test_bfloat16_trains_and_is_another_arithmetic(found, framework):
    wide, narrow = (np.array(found(framework)[precision]) for precision in ("fp32", "bf16"))
    assert np.abs(narrow / wide - 1).max() < BF16_TOLERANCE
    assert narrow[-1] < 0.8 * narrow[0]
    assert (narrow != wide).all()


def test_all_modes_were_tried():
    assert shutil.which("c++") is None or ("torch", "compile") in MODES
    assert {mode for _, mode in MODES} >= {"eager", "graph", "xla", "jit", "scan"}
