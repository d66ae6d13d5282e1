"""The published depth does the same work in every framework, not only the small one of the proof."""

import json
import subprocess
from functools import cache
from pathlib import Path

import pytest

from harness.conformance.comparison import compare
from harness.conformance.tolerances import FLOAT32, FLOAT64, tolerance

ROOT = Path(__file__).parents[2]
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
def record_of(framework_python, tmp_path_factory):
    """A function (framework, dtype) -> what it recorded at depth 50 over one step."""
    folder = tmp_path_factory.mktemp("records")

    @cache
    def recorded(framework, dtype):
        out = folder / f"{framework}-{dtype}.json"
        command = [framework_python(framework), "-c", RECORD, out, framework, dtype]
        environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert result.returncode == 0, result.stderr[-2000:]
        return json.loads(out.read_text())

    return recorded


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
