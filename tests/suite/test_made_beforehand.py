"""In eager mode, too, what a stage needs is made before it is measured: narrowed weights, slots, optimisers' memory."""

import pytest

MODES = {"torch": "eager", "tensorflow": "eager", "jax": "jit"}

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import runtime_module
out, framework, mode = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.llm.spec import SPEC
Impl = importlib.import_module(f"suite.llm.{framework}_impl").Impl
sizes = {"mode": mode, "precision": "bf16", "requests": 2, "predict_batch_size": 2, "batch_size": 2, "new_tokens": 2}
spec = SPEC.with_settings({**SPEC.proof_settings, **sizes})
data, found = {"x": spec.examples(2, 1)["x"].astype(np.int32)}, {}
for stage in ("generate", "serve", "train"):
    one = Impl(spec, spec.initial_weights(1), "float32", "cpu")
    placed = one.place(data)
    one.compile(placed, stage)
    made = set(vars(one))
    if stage == "train":
        one.train(placed, np.arange(2)[np.newaxis])
    else:
        one.infer(placed, np.arange(2), stage)
    found[stage] = {"late": sorted(set(vars(one)) - made), "has": sorted(made)}
with open(out, "w") as file:
    json.dump(found, file)
"""


@pytest.fixture(scope="module")
def found(found_in_each):
    return found_in_each(SCRIPT, lambda name: (name, MODES[name]))


@pytest.mark.parametrize("framework", MODES)
def test_nothing_that_is_kept_is_made_once_it_is_measured(found, framework):
    told = found[framework].result()
    assert {stage: one["late"] for stage, one in told.items()} == {"generate": [], "serve": [], "train": []}


@pytest.mark.parametrize("framework", ["tensorflow", "jax"])
def test_who_never_trains_has_no_memory_of_an_optimiser(found, framework):
    told = found[framework].result()
    assert {stage for stage, one in told.items() if "slots" in one["has"]} == {"train"}
