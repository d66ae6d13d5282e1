"""In PyTorch's eager mode a GPU loads its kernels before what is measured, and nothing is moved by that."""

import pytest

WORKLOADS = ("mnist_cnn", "resnet", "emotion_rnn", "ncf", "transformer_xl", "llm")

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import implementation_module, runtime_module
from suite.task import TRAIN
out, *workloads = sys.argv[1:]
importlib.import_module(runtime_module("torch")).configure(1, "cpu")
STEPS, BATCH = 2, 8

def trained(name, loads):
    spec = importlib.import_module(f"suite.{name}.spec").SPEC
    sizes = {"batch_size": BATCH, "predict_batch_size": BATCH, "mode": "eager"}
    spec = spec.with_settings({**spec.proof_settings, **sizes}).lasting(1, STEPS)
    Impl = importlib.import_module(implementation_module(name, "torch")).Impl

    class Loads(Impl):
        _loads_kernels = loads
        asked = 0

        def apply(self, *given):
            type(self).asked += 1
            return super().apply(*given)

    raw = spec.examples(STEPS * BATCH, 1)
    data = spec.inputs(raw, "float32")
    one = Loads(spec, spec.initial_weights(1), "float32", "cpu")
    taught, tested = one.place(data), one.place(spec.without_targets(data))
    one.compile(tested, spec.evaluated_by)
    one.compile(taught, TRAIN)
    before = Loads.asked
    epoch = one.train(taught, spec.order(raw, 1, 1))
    return {"before": before, "losses": np.asarray(epoch.losses).tolist()}

found = {name: [trained(name, loads) for loads in (False, True)] for name in workloads}
json.dump(found, open(out, "w"))
"""


def test_it_has_computed_a_batch_of_each_kind_and_nothing_has_moved(found_by):
    found = found_by(SCRIPT, "torch", *WORKLOADS)
    for name, (plain, loaded) in found.items():
        assert plain["before"] == 0 and loaded["before"] >= 2, name
        assert loaded["losses"] == plain["losses"], name
