"""The published depth does the same work in every framework, not only the small one of the proof."""

from functools import cache

import pytest

from harness.conformance.comparison import compare
from harness.conformance.tolerances import FLOAT32, FLOAT64, tolerance

REFERENCE = "torch"
# Gradients and parameters of the first layers are not assertable in float32, in any framework: see the spec.
ASSERTED_IN_FLOAT32 = ("parameters", "logits", "plain losses", "as_specified losses")

pytestmark = [pytest.mark.frameworks, pytest.mark.slow]

RECORD = """
import dataclasses, importlib, json, sys
from suite import verify
from suite.resnet.spec import Resnet
from suite.runtimes import implementation_module, runtime_module

@dataclasses.dataclass(frozen=True)
class Whole(Resnet):
    proof_settings = {"depth": 50}

out, framework, dtype = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
implementation = importlib.import_module(implementation_module("resnet", framework)).Impl
with open(out, "w") as file:
    json.dump(verify.record(implementation, Whole(), dtype, "cpu", steps=1), file)
"""


@pytest.fixture(scope="module")
def record_of(found_by):
    """A function (framework, dtype) -> what it recorded at depth 50 over one step."""
    return cache(lambda framework, dtype: found_by(RECORD, framework, framework, dtype))


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "keras"])
def test_50_layers_agree_to_the_last_digits(record_of, framework):
    found, reference = (record_of(one, FLOAT64) for one in (framework, REFERENCE))
    assert reference["parameters"] == 23_528_522
    checks = list(compare(found, reference, tolerance(framework, FLOAT64, {})))
    assert [one for one in checks if not one.passed] == []
    assert max(one.value for one in checks if one.check.startswith("gradients")) < 1e-11


@pytest.mark.parametrize("framework", ["tensorflow"])
def test_50_layers_agree_to_rounding(record_of, framework):
    found, reference = (record_of(one, FLOAT32) for one in (framework, REFERENCE))
    checks = {one.check: one for one in compare(found, reference, tolerance(framework, FLOAT32, {}))}
    assert [checks[name] for name in ASSERTED_IN_FLOAT32 if not checks[name].passed] == []
