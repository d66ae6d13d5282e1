"""An implementation with the smallest face, which only infers, runs and is proven by what it answers."""

import copy

import pytest

from harness.conformance import recorded
from harness.conformance.comparison import compare, failures
from harness.conformance.tolerances import ANSWERS, tolerance

pytestmark = pytest.mark.frameworks

RECORDS = """
import json, sys
import numpy as np
from suite import verify
from suite.mnist_mlp import torch_impl
from suite.mnist_mlp.spec import SPEC

class Engine:
    "Products by NumPy: no training, no gradients, no mode."
    def __init__(self, spec, weights, dtype, device):
        self.spec = spec
        self.weights = {name: array.astype(dtype) for name, array in weights.items()}
    def place(self, data):
        return data
    def compile(self, data, stage):
        pass
    def layer(self, x, name):
        return x @ self.weights[f"{name}/kernel"] + self.weights[f"{name}/bias"]
    def infer(self, data, rows, stage="infer"):
        x = data["x"][rows]
        for name in ("hidden1", "hidden2"):
            x = np.maximum(self.layer(x, name), 0)
        return {"scores": self.layer(x, "output")}
    def params(self):
        return self.weights

class Tiled(Engine):
    "Right for a few rows, and for more again the first ones' answers."
    def infer(self, data, rows, stage="infer"):
        return super().infer(data, rows[np.arange(len(rows)) % 100], stage)

class Rounded(Engine):
    def infer(self, data, rows, stage="infer"):
        return {name: one.astype(np.float16).astype(np.float32) for name, one in super().infer(data, rows).items()}

examples = SPEC.examples(400, 7)
found = {
    one.__name__: verify.record(one, SPEC, verify.KINDS["answers"], "cpu", examples)
    for one in (torch_impl.Impl, Engine, Tiled, Rounded)
}
with open(sys.argv[1], "w") as file:
    json.dump(found, file)
"""


@pytest.fixture(scope="module")
def found(found_by):
    return found_by(RECORDS, "torch")


@pytest.mark.parametrize(
    ("name", "seen_in"),
    [("Impl", []), ("Engine", []), ("Tiled", ["answers"]), ("Rounded", ["outputs", "answers"])],
)
def test_its_answers_are_held_against_the_reference_s(found, name, seen_in):
    checks = list(compare(found[name], found["Impl"], tolerance("engine", ANSWERS, {})))
    assert [one.check for one in failures(checks)] == seen_in
    assert [one.check for one in checks] == ["parameters", "outputs", "answers"]


def test_its_record_passes_the_harness_and_none_without_answers_does(found):
    import json

    records = [found["Engine"]]
    assert recorded.parsed(json.dumps(records).encode(), [ANSWERS]) == records
    empty = copy.deepcopy(records)
    empty[0]["answers"] = {}
    with pytest.raises(ValueError, match="answers"):
        recorded.parsed(json.dumps(empty).encode(), [ANSWERS])
