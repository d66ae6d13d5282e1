"""A language model's answers are proven in 16 bits, though rounding changes some tokens: a wrong one is found."""

import json

import pytest

from harness.conformance.comparison import compare
from harness.conformance.recorded import parsed
from harness.conformance.tolerances import ANSWERS, tolerance
from suite.llm.spec import SPEC

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
from suite import verify
from suite.llm.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
out, framework = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("llm", framework)).Impl
sizes = {
    "size": "tiny", "vocabulary": 1000, "predict_batch_size": 8, "requests": 32, "prompt_tokens": 24,
    "new_tokens": 8, "context": 32,
}

def wrong_from(place):
    class Wrong(Impl):
        def infer(self, data, rows, stage="infer"):
            found = super().infer(data, rows, stage)
            if "tokens" in found:  # as of a cache that is another request's
                found["tokens"][:, place:] = found["tokens"][::-1, place:].copy()
            return found
    return Wrong

def record(implementation, precision):
    spec = SPEC.with_settings({**sizes, "precision": precision})
    return verify.record(implementation, spec, verify.KINDS["answers"], "cpu")

found = {kind: record(Impl, kind) for kind in ("fp32", "bf16")}
found |= {f"wrong from {place}": record(wrong_from(place), "bf16") for place in ((1, 2) if framework == "jax" else ())}
json.dump(found, open(out, "w"))
"""


@pytest.fixture(scope="module")
def found(found_by):
    return {name: found_by(SCRIPT, name, name) for name in ("torch", "jax")}


def failed(found, kind, precision, reference=None):
    allowed = tolerance("jax", ANSWERS, SPEC.tolerances, precision)
    checks = compare(found["jax"][kind], found["torch"][reference or kind], allowed)
    return {one.check for one in checks if not one.passed}


def test_the_host_reads_what_is_recorded(found):
    for records in found.values():
        parsed(json.dumps([records["fp32"], records["bf16"]]).encode(), [ANSWERS, ANSWERS])


def test_what_rounds_to_16_bits_passes(found):
    assert not failed(found, "bf16", "bf16")


@pytest.mark.parametrize("place", [1, 2])
def test_answers_that_are_wrong_after_the_first_tokens_do_not(found, place):
    """From the third token on they follow from what decoding itself wrote into the cache."""
    wrong = {
        f"{what} {stage}/token-{number}"
        for what in ("outputs", "answers")
        for stage in ("generate", "serve")
        for number in range(place + 1, 4)
    }
    assert failed(found, f"wrong from {place}", "bf16", "bf16") == wrong


def test_in_32_bits_every_token_is_held(found):
    assert not failed(found, "fp32", "fp32")
    tokens = [json.dumps(found[name]["fp32"]["answers"]["generate/tokens"]) for name in ("torch", "jax")]
    assert tokens[0] == tokens[1] and json.loads(tokens[0])["shape"][1] == 8
