"""Text is written by the weights that training left, also by copies in 16 bits; and what a step computes again."""

import pytest

MODES = {"torch": "eager", "tensorflow": "eager", "keras": "eager", "jax": "jit"}  # which compile least

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import runtime_module
out, framework, mode = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.llm.spec import SPEC
module = importlib.import_module(f"suite.llm.{framework}_impl")
sizes = {"mode": mode, "requests": 4, "predict_batch_size": 2, "batch_size": 2, "learning_rate": 0.1, "warmup_steps": 1}
SMALL = SPEC.with_settings({**SPEC.proof_settings, **sizes, "accumulate": 1})
data, rows = {"x": SMALL.examples(4, 1)["x"].astype(np.int32)}, np.arange(4)

def new(spec, weights):
    return module.Impl(spec, weights, "float32", "cpu")

def written(one):
    placed = one.place(data)
    return [one.infer(placed, rows, stage)["tokens"].tolist() for stage in ("generate", "serve")]

narrow = SMALL.with_settings({"precision": "bf16"})
one = new(narrow, narrow.proof_weights(1))
begun = one.memory() if hasattr(one, "rewind") else None
found = {"before": written(one)}
one.train(one.place(data), rows.reshape(2, 2))
found["after"], found["anew"] = written(one), written(new(narrow, one.params()))
if begun is not None:
    one.rewind(begun)
    one.train(one.place(data), rows[::-1].reshape(2, 2))  # as many steps as before
    found["other"], found["other_anew"] = written(one), written(new(narrow, one.params()))
    one.rewind(begun)
    found["rewound"] = written(one)

def computed(checkpoint):
    "How often a layer is computed in a step; of JAX, whose trace knows it once, what the step's gradient says of it."
    spec = SMALL.with_settings({"checkpoint": checkpoint})
    one = new(spec, spec.initial_weights(1))
    if framework == "jax":
        import jax
        batch = {"x": data["x"][:2]}
        step = jax.grad(lambda weights: one.loss(one.apply(weights, batch, "train")[0], batch))
        return str(jax.make_jaxpr(step)(one.weights)).count("remat")
    block, times = module.Net._block, []
    module.Net._block = lambda *given: (times.append(1), block(*given))[1]
    one.step(spec.batch(data, rows[:2]))
    module.Net._block = block
    return len(times)

found["computed"] = {str(asked): computed(asked) for asked in (False, True)}
with open(out, "w") as file:
    json.dump({**found, "layers": SMALL.layers}, file)
"""


@pytest.fixture(scope="module")
def found(found_in_each):
    return found_in_each(SCRIPT, lambda name: (name, MODES[name]))


@pytest.mark.parametrize("framework", MODES)
def test_narrowed_weights_are_those_that_training_left_and_that_were_put_back(found, framework):
    told = found[framework].result()
    assert told["after"] == told["anew"] and told["after"] != told["before"]
    assert ("rewound" in told) == (framework in ("tensorflow", "keras"))
    assert told.get("rewound", told["before"]) == told["before"]
    if "rewound" in told:
        assert told["other"] == told["other_anew"] != told["after"]


@pytest.mark.parametrize("framework", MODES)
def test_a_layer_is_computed_again_for_its_gradients_where_that_is_asked_and_nowhere_else(found, framework):
    told = found[framework].result()
    once = 0 if framework == "jax" else told["layers"]
    assert told["computed"]["False"] == once
    assert told["computed"]["True"] >= once + told["layers"]
