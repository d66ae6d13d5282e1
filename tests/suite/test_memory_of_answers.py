"""Who only answers holds no memory of an optimiser: else frameworks' memory, which is a result, would differ by it."""

import pytest

pytestmark = pytest.mark.frameworks

HELD = """
import gc, importlib, json, sys
import numpy as np
from suite.llm.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
from suite.verify import KINDS, as_proven
out, framework = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("llm", framework)).Impl
spec = as_proven(SPEC, KINDS["long"]).lasting(1, 2).with_settings({"width": 64, "inner": 256})

def bytes_held():
    gc.collect()
    if framework == "jax":
        import jax
        return sum(one.nbytes for one in jax.live_arrays())
    if framework == "torch":
        import torch
        several = {one.data_ptr(): one.nbytes for one in gc.get_objects() if isinstance(one, torch.Tensor)}
        return sum(several.values())
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable
    several = [one for one in gc.get_objects() if isinstance(one, BaseResourceVariable) and None not in one.shape]
    return sum(4 * int(np.prod(one.shape)) for one in several)

raw = spec.examples(32, 1)
one = Impl(spec, spec.initial_weights(1), "float32", "cpu")
weights = sum(array.nbytes for array in one.params().values())
data = one.place(spec.inputs(raw, "float32"))
for stage in ("generate", "infer"):
    one.compile(data, stage)
    one.infer(data, np.arange(8), stage)
answering = bytes_held()
one.compile(data, "train")
one.train(data, spec.order(raw, 1, 1))
with open(out, "w") as file:
    json.dump([weights, answering, bytes_held()], file)
"""


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax", "keras"])
def test_an_optimiser_s_memory_begins_with_training(found_by, framework):
    weights, answering, trained = found_by(HELD, framework, framework)
    assert weights <= answering < 1.5 * weights
    assert trained > answering + 1.9 * weights  # two numbers of each weight, by Adam
