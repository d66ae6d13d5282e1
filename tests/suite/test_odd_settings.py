"""Whatever settings a plan may have, sound code is proven, and what is wrong is still found."""

import json

import pytest

from harness.conformance.comparison import compare, failures
from harness.conformance.tolerances import OWN, tolerance

pytestmark = pytest.mark.frameworks

SETTINGS = {
    "answers one by one": {"predict_batch_size": 1},
    "answers by three": {"predict_batch_size": 3},
    "samples one by one, by heart": {"batch_size": 1},
    "one batch in all": {"batch_size": 300},
    "16 bits": {"batch_size": 4, "precision": "bf16"},
    "adam": {"batch_size": 8, "optimizer": "adam", "learning_rate": 0.001},
}
RECORDS = """
import importlib, json, sys
from suite import verify
from suite.mnist_mlp.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
out, framework, settings = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("mnist_mlp", framework)).Impl

class Averaged(Impl):
    "Answers with weights that it does not show."
    def infer(self, data, rows, stage="infer"):
        more = 1.0 + 1e-3 * len(getattr(self, "begun", ()))
        return {name: one * more for name, one in super().infer(data, rows, stage).items()}
    def train(self, data, order):
        self.begun = [*getattr(self, "begun", ()), 1]
        return super().train(data, order)

class LeavesOut(Impl):
    "Steps where the loss is small, in what `train` and `step` share."
    def _step(self, batch):
        loss = self._loss(batch).detach()
        return super()._step(batch) if loss >= 0.01 else loss

def record(implementation, **named):
    spec = SPEC.with_settings(named)
    examples = spec.examples(400, 7)
    shape = verify.as_long_as(verify.KINDS["own"], spec, 400, "cpu")
    return verify.record(implementation, spec, shape, "cpu", examples)

found = {name: record(Impl, **one) for name, one in json.loads(settings).items()}
if framework == "torch":
    found |= {one.__name__: record(one, batch_size=8) for one in (Impl, Averaged, LeavesOut)}
try:
    record(Impl, learning_rate=1e30)
except ArithmeticError as error:
    found["diverges"] = str(error)
with open(out, "w") as file:
    json.dump(found, file)
"""


@pytest.fixture(scope="module")
def found(found_by):
    """Framework -> what it recorded with each of SETTINGS."""
    return {name: found_by(RECORDS, name, name, json.dumps(SETTINGS)) for name in ("torch", "jax")}


def failed(record, reference, precision="fp32"):
    return [
        one.check
        for one in failures(list(compare(record, reference, tolerance("jax", OWN, {}, precision), 4)))
    ]


@pytest.mark.parametrize("name", SETTINGS)
def test_sound_code_is_proven(found, name):
    records, precision = (
        [found[one][name] for one in ("torch", "jax")],
        SETTINGS[name].get("precision", "fp32"),
    )
    assert [failed(one, records[0], precision) for one in records] == [[], []]
    assert all(one["trained"] == one["moved"] for one in records)


def test_a_few_samples_are_learnt_by_heart(found):
    losses = found["torch"]["samples one by one, by heart"]["losses"]
    assert losses[-1] < 1e-3 * losses[0]


def test_answers_from_other_weights_than_are_shown_are_found(found):
    assert "answers of its weights" in failed(found["torch"]["Averaged"], found["torch"]["Impl"])


def test_a_step_left_out_where_the_loss_is_small_is_found_though_step_leaves_it_out_too(found):
    record = found["torch"]["LeavesOut"]
    assert record["trained"] == record["moved"]
    assert [one for one in failed(record, found["torch"]["Impl"]) if one.endswith(" loss")]


def test_training_that_diverges_is_named(found):
    for one in found.values():
        assert one["diverges"].startswith("mnist_mlp diverges with these settings: step ")
