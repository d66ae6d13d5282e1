"""The published depth does the same work in every framework, not only the small one of the proof."""

from functools import cache

import pytest

from harness.conformance.comparison import compare
from harness.conformance.tolerances import EXACT, LONG, tolerance

REFERENCE = "torch"
# Gradients and parameters of the first layers are not assertable in float32, in any framework: see the spec.
ASSERTED_IN_FLOAT32 = ("parameters", "outputs", "losses")

pytestmark = [pytest.mark.frameworks, pytest.mark.slow]

RECORD = """
import dataclasses, importlib, json, sys
from suite import verify
from suite.resnet.spec import Resnet
from suite.runtimes import implementation_module, runtime_module

@dataclasses.dataclass(frozen=True)
class Whole(Resnet):
    proof_settings = {"depth": 50}

out, framework, kind = sys.argv[1:]
shape = verify.Kind({"exact": "float64", "long": "float32"}[kind], 1, 1, 16, by_train=False)
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
implementation = importlib.import_module(implementation_module("resnet", framework)).Impl
with open(out, "w") as file:
    json.dump(verify.record(implementation, Whole(), shape, "cpu"), file)
"""


@pytest.fixture(scope="module")
def record_of(found_by):
    """A function (framework, kind) -> what it recorded at depth 50 over one step."""
    return cache(lambda framework, kind: found_by(RECORD, framework, framework, kind))


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "keras"])
def test_50_layers_agree_to_the_last_digits(record_of, framework):
    found, reference = (record_of(one, EXACT) for one in (framework, REFERENCE))
    assert reference["parameters"] == 23_528_522
    checks = list(compare(found, reference, tolerance(framework, EXACT, {})))
    assert [one for one in checks if not one.passed] == []
    assert max(one.value for one in checks if one.check.startswith("gradients")) < 1e-11


@pytest.mark.parametrize("framework", ["tensorflow"])
def test_50_layers_agree_to_rounding(record_of, framework):
    found, reference = (record_of(one, LONG) for one in (framework, REFERENCE))
    checks = {one.check: one for one in compare(found, reference, tolerance(framework, LONG, {}))}
    assert [checks[name] for name in ASSERTED_IN_FLOAT32 if not checks[name].passed] == []
