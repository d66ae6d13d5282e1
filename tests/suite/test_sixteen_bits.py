"""Layers in bfloat16, everything that is told or summed in float32: losses, answers, layer normalisation."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from tests.rotation import rotating

MODES = {"torch": "eager", "tensorflow": "eager", "keras": "eager", "jax": "jit"}  # which compile least
WORKLOADS = ("gnmt", "transformer_xl", "ssd")
SHARE = rotating(WORKLOADS, 1)  # in every CI
DEAR = {("jax", "ssd")}  # half a minute of compiling
CASES = [
    pytest.param(*one, marks=[] if one[1] in SHARE and one not in DEAR else [pytest.mark.slow])
    for one in product(MODES, WORKLOADS)
]
APART = 2e-2  # of the losses of a few steps; measured: at most 4e-3

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.dropout import masks
from suite.runtimes import implementation_module, runtime_module
out, framework, mode, *workloads = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
STEPS, BATCH = 4, 8

def of(workload, precision):
    spec = importlib.import_module(f"suite.{workload}.spec").SPEC
    sizes = {"batch_size": BATCH, "predict_batch_size": BATCH, "mode": mode, "precision": precision}
    spec = spec.with_settings({**spec.proof_settings, **sizes}).lasting(1, STEPS)
    raw = spec.examples(STEPS * BATCH, 1)
    data = spec.inputs(raw, "float32") | masks(spec.sites(), STEPS * BATCH, 1)
    Impl = importlib.import_module(implementation_module(workload, framework)).Impl
    one = Impl(spec, spec.initial_weights(1), "float32", "cpu")
    asked = one.place(spec.without_targets(spec.inputs(raw, "float32")))
    outputs = one.infer(asked, np.arange(BATCH))
    return {
        "kinds": {name: str(np.asarray(array).dtype) for name, array in outputs.items()},
        "losses": [float(one.step(spec.batch(data, rows))) for rows in spec.order(raw, 1, 1)],
    }

found = {name: {kind: of(name, kind) for kind in ("fp32", "bf16")} for name in workloads}
with open(out, "w") as file:
    json.dump(found, file)
"""


@pytest.fixture(scope="module")
def found(request, found_in_each, found_by):
    """Of the workloads that the chosen tests name."""
    tests = [item for item in request.session.items if item.path == request.path]
    asked = {item.callspec.params["workload"] for item in tests}

    def cheap(name):
        return [name, MODES[name], *(one for one in WORKLOADS if one in asked and (name, one) not in DEAR)]

    records = found_in_each(SCRIPT, cheap)

    @cache
    def find(framework, workload):
        if (framework, workload) in DEAR:
            return found_by(SCRIPT, framework, framework, MODES[framework], workload)[workload]
        return records[framework].result()[workload]

    return find


@pytest.mark.parametrize(("framework", "workload"), CASES)
def test_what_is_told_is_of_32_bits(found, framework, workload):
    told = found(framework, workload)
    assert told["bf16"]["kinds"] == told["fp32"]["kinds"]
    assert "float32" in told["bf16"]["kinds"].values()


@pytest.mark.parametrize(("framework", "workload"), CASES)
def test_losses_are_those_of_32_bits_but_for_the_layers_rounding(found, framework, workload):
    wide, narrow = (np.array(found(framework, workload)[kind]["losses"]) for kind in ("fp32", "bf16"))
    assert np.abs(narrow / wide - 1).max() < APART
    assert (narrow != wide).any()
    # bfloat16 itself has steps of 2 ** -7 or more here: a loss that was summed in it has no bits below.
    assert (np.abs(narrow * 2**7 - np.round(narrow * 2**7)) > 1e-3).any()
