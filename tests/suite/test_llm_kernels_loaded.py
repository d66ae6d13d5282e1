"""What a GPU loads at its first call it has loaded before the first prompts are measured; a CPU has nothing to load."""

import pytest

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.runtimes import runtime_module
out, framework = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.llm.spec import SPEC
module = importlib.import_module(f"suite.llm.{framework}_impl")
sizes = {"mode": "eager", "requests": 4, "predict_batch_size": 2, "batch_size": 2}
spec = SPEC.with_settings({**SPEC.proof_settings, **sizes})
one = module.Impl(spec, spec.proof_weights(1), "float32", "cpu")
data = one.place({"x": spec.examples(4, 1)["x"].astype(np.int32)})
asked = []
one.infer = lambda data, rows, stage: asked.append((len(rows), stage))
one.compile(data, "generate")
found = {"cpu": list(asked)}
one.device = "cuda"
one.compile(data, "generate")
found["cuda"] = asked
json.dump(found, open(out, "w"))
"""


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_a_batch_is_answered_before_what_is_measured(found_by, framework):
    assert found_by(SCRIPT, framework, framework) == {"cpu": [], "cuda": [[2, "generate"]]}
