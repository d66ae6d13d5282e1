"""What a GPU records and replays writes the tokens that a growing cache gives, batch after batch in the same memory."""

import pytest

from harness.conformance.comparison import compare, failures
from harness.conformance.tolerances import EXACT, tolerance

pytestmark = pytest.mark.frameworks

SCRIPT = """
import json, sys
from functools import cached_property
import numpy as np
import torch
from suite.runtimes import torch_runtime
torch_runtime.configure(1, "cpu")
from suite.llm import torch_static_writer
from suite.llm.spec import SPEC
from suite.llm.torch_impl import Impl
from suite.llm.torch_static_writer import Step, StaticWriter
from suite.llm.torch_writer import Read

out, form, wrong = sys.argv[1:]
if wrong:
    begin = Step.begin
    if wrong == "shared":
        Step.begin = lambda self, read, place: begin(self, Read(last[0], read.token), place)
    else:
        Step.begin = lambda self, read, place: begin(self, read, place + int(wrong))

last = []

class Static(Impl):
    @cached_property
    def _writer(self):
        return StaticWriter(self.net, self._narrow, compiled=False)

    def prefill(self, data, rows):
        read = super().prefill(data, rows)
        last[:] = [read.cache]
        return read


sizes = {"form": form, "requests": 8, "predict_batch_size": 4, "batch_size": 2}
spec = SPEC.with_settings({**SPEC.proof_settings, **sizes})
weights, examples = spec.proof_weights(1), {"x": spec.examples(10, 1)["x"].astype(np.int32)}
told = []
for kind in (Impl, Static):
    one = kind(spec, weights, "float64", "cpu")
    data = one.place(examples)
    order = np.arange(8 if wrong == "shared" else 10)  # else the last batch is a smaller one
    told.append([one.infer(data, rows, "generate")["tokens"] for rows in (order, np.roll(order, 3))])
found = {"equal": all(np.array_equal(*pair) for pair in zip(*told)), "differ": len(np.unique(told[0][0], axis=0))}
json.dump(found, open(out, "w"))
"""


@pytest.mark.parametrize("form", ["llama", "gpt2"])
def test_the_tokens_are_those_of_a_cache_that_grows(found_by, form):
    found = found_by(SCRIPT, "torch", form, "")
    assert found["equal"]
    assert found["differ"] > 1


@pytest.mark.parametrize("wrong", ["-1", "1", "shared"])
def test_a_step_at_another_place_or_from_another_batch_is_seen(found_by, wrong):
    assert not found_by(SCRIPT, "torch", "llama", wrong)["equal"]


PROVEN = """
from suite import verify
from suite.llm.torch_writer import Writer

class Shared(Writer):
    def read(self, prompts):
        read, self._kept = super().read(prompts), getattr(self, "_kept", {})
        kept = self._kept.setdefault(len(prompts), read.cache)
        for own, given in zip(kept, read.cache):
            own.keys.copy_(given.keys), own.values.copy_(given.values)
        return Read(kept, read.token)

class OneCacheForAll(Impl):
    @cached_property
    def _writer(self):
        return Shared(self.net, self._narrow, compiled=False)

def recorded(kind):
    return verify.record(kind, SPEC.with_settings({"form": form}), verify.KINDS["exact"], "cpu")

json.dump([recorded(kind) for kind in (Impl, Static, OneCacheForAll)], open(out, "w"))
"""


def test_the_proof_in_float64_sees_batches_that_share_a_cache(found_by):
    sound, static, shared = found_by(SCRIPT + PROVEN, "torch", "llama", "")
    allowed = tolerance("torch", EXACT, {})
    assert not failures(list(compare(static, sound, allowed)))
    wrong = [one.check for one in failures(list(compare(shared, sound, allowed)))]
    assert "outputs generate/tokens" in wrong
