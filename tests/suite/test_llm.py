"""The language model's numbers: its formulas in NumPy, of each form, and tokens that a cache does not change."""

from __future__ import annotations

import json
import math
import tracemalloc
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from harness.datasets import prepared
from harness.planning import applicability
from harness.records import Treatment
from suite import llm
from suite.llm.serving import NO_TOKEN
from suite.llm.spec import SPEC
from tests.suite.llm_by_hand import ByHand

FRAMEWORKS = sorted(path.stem.removesuffix("_impl") for path in Path(llm.__file__).parent.glob("*_impl.py"))
TINY = SPEC.with_settings({**SPEC.proof_settings, "requests": 4, "predict_batch_size": 2})
FORMS = {
    "llama": {"form": "llama", "tied": False},
    "llama, tied, keys for all heads, a prompt of one token, to the end of the context": {
        "form": "llama", "tied": True, "kv_heads": 1, "rotary_base": 500.0,
        "prompt_tokens": 1, "new_tokens": TINY.context - 1,
    },
    "gpt2": {"form": "gpt2", "tied": True, "kv_heads": TINY.heads},
    "gpt2, untied, fewer keys": {"form": "gpt2", "tied": False},
}  # fmt: skip
SERVED = (3, 1, 0, 2, 1, 3)  # of four, by two slots, so that each is used again
SCRIPT = (
    f"SERVED = {SERVED}"
    + """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite.runtimes import runtime_module
out, framework, folder, *names = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.llm.spec import SPEC
module = importlib.import_module(f"suite.llm.{framework}_impl")
Impl, states, asked = module.Impl, module.Net.states, []
module.Net.states = lambda *given, **named: (asked.append(1), states(*given, **named))[1]
found = {}
for name in names:
    place = Path(folder) / name
    spec = SPEC.with_settings(json.loads((place / "settings.json").read_text()))
    with np.load(place / "weights.npz") as weights, np.load(place / "data.npz") as data:
        one, data = Impl(spec, dict(weights), "float64", "cpu"), dict(data)
    placed, rows = one.place(data), np.arange(len(data["x"]))
    written = one.infer(placed, rows, "generate")["tokens"]
    one.compile(placed, "serve")
    asked.clear()
    served = one.infer(placed, np.array(SERVED), "serve")["tokens"]
    traced = len(asked)
    found[name] = {
        "nll": one.infer(placed, rows)["nll"].tolist(), "tokens": written.tolist(), "served": served.tolist(),
        "traced": traced,
    }
Path(out).write_text(json.dumps(found))
"""
)


def drawn(changed, folder):
    """Spec, weights, none of them 0 or 1 as at first, and windows; they lie in the folder, too."""
    spec, generator = TINY.with_settings(changed), np.random.default_rng(5)
    weights = {
        name: array + generator.normal(0, 0.3, array.shape) for name, array in spec.initial_weights(2).items()
    }
    x = generator.integers(spec.vocabulary, size=(spec.requests, spec.context + 1)).astype(np.int32)
    folder.mkdir()
    settings = {one.name: getattr(spec, one.name) for one in fields(spec) if one.name != "dataset"}
    (folder / "settings.json").write_text(json.dumps(settings))
    np.savez(folder / "weights.npz", **weights)
    np.savez(folder / "data.npz", x=x)
    return spec, weights, x


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory):
    """Where the cases lie, and what the formulas tell of each."""
    folder, told = tmp_path_factory.mktemp("cases"), {}
    for name, changed in FORMS.items():
        spec, weights, x = drawn(changed, folder / name)
        one = ByHand(spec, weights)
        written = one.written(x[:, : spec.prompt_tokens], spec.new_tokens)
        told[name] = {"nll": one.nll(x), "tokens": written}
    return folder, told


def test_weights_of_eight_billion_are_drawn_one_array_at_a_time():
    spec = SPEC.with_settings({"size": "8b"})
    weights = spec.initial_weights(3)
    tracemalloc.start()
    assert sum(map(math.prod, spec.shapes_of_weights.values())) == 8_030_261_248
    kernel = weights["layer31_keys/kernel"]
    assert tracemalloc.get_traced_memory()[1] < 2 * kernel.nbytes
    tracemalloc.stop()
    assert kernel.shape == (4096, 1024) and kernel.std() == pytest.approx(0.02, rel=0.01)


def test_generation_tells_its_padding_and_the_bytes_of_a_batch_s_cache():
    spec = SPEC.with_settings(
        {"size": "tiny", "predict_batch_size": 16}
    )  # 2 layers, 2 heads of 16, 96 tokens
    assert spec.told_besides("generate") == {"padding_tokens": 0, "cache_bytes": 2 * 2 * 2 * 16 * 96 * 16 * 4}
    narrow = spec.with_settings({"precision": "bf16"})
    assert narrow.told_besides("generate")["cache_bytes"] == spec.cache_bytes / 2
    assert (
        spec.told_besides("serve") == {"cache_bytes": spec.cache_bytes} and spec.told_besides("train") == {}
    )


def test_a_test_text_shorter_than_the_context_is_told_before_anything_runs(monkeypatch):
    asked = {"version": "1", "stage": "generate", "dataset": "synthetic-wikitext"}
    settings = {"size": "tiny", "vocabulary": 1000}
    one = Treatment(workload="llm", framework="torch", settings=settings, **asked)
    monkeypatch.setattr(prepared, "train_samples", lambda name: 100_000)
    for tokens in (96, 97):  # of which the last is a target alone
        monkeypatch.setattr(prepared, "test_samples", lambda name, tokens=tokens: tokens)
        reason = applicability.why_not(one, compiler=False)
        assert reason.startswith("the test text has 0 windows of 96 tokens") == (tokens == 96), reason
        assert reason.endswith("set context lower") == (tokens == 96)


def test_a_weight_is_the_same_whatever_else_is_drawn():
    several, again, other = (TINY.initial_weights(seed) for seed in (3, 3, 4))
    drawn = dict(several)
    assert all(np.array_equal(again[name], drawn[name]) for name in reversed(list(drawn)))
    kernels = [name for name in drawn if name.endswith("/kernel")]
    assert len({drawn[name].ravel()[0] for name in kernels}) == len(kernels)
    assert not any(np.array_equal(other[name], drawn[name]) for name in kernels)


@pytest.fixture(scope="module")
def found_by_all(found_in_each, by_hand):
    return found_in_each(SCRIPT, lambda name: (name, by_hand[0], *FORMS))


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_each_form_is_its_formulas_and_a_cache_changes_no_token(found_by_all, by_hand, framework):
    found, told = found_by_all[framework].result(), by_hand[1]
    for name, wanted in told.items():
        assert np.array_equal(found[name]["tokens"], wanted["tokens"]), name
        assert np.array(found[name]["nll"]) == pytest.approx(wanted["nll"], rel=1e-12), name


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_server_s_answers_are_those_of_each_prompt_alone_and_nothing_is_traced_after_its_warm_up(
    found_by_all, by_hand, framework
):
    """In slots that held other requests before, beside others at other places."""
    found, told = found_by_all[framework].result(), by_hand[1]
    for name, wanted in told.items():
        served, alone = np.array(found[name]["served"]), wanted["tokens"][list(SERVED)]
        lengths = (served != NO_TOKEN).sum(axis=1)
        assert lengths.min() >= 2 and len(set(lengths.tolist())) > 1, name
        for answer, whole, length in zip(served, alone, lengths, strict=True):
            assert answer[:length].tolist() == whole[:length].tolist(), name
        assert framework == "torch" or found[name]["traced"] == 0, name
