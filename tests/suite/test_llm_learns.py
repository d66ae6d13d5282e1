"""The language model learns real text: of byte pairs that it never saw it knows more than how often two follow."""

import json

import numpy as np
import pytest

from suite import data
from tests import real_sets

SETTINGS = {
    "size": "tiny", "context": 64, "prompt_tokens": 32, "new_tokens": 32, "batch_size": 32, "iterations": 1200,
    "evaluate_every": 1200, "learning_rate": 0.005, "warmup_steps": 100,
}  # fmt: skip
FRAMEWORKS = ("torch", "jax", "tensorflow")
SEEDS = ("1", "2", "3")

# Minutes of one CPU each.
pytestmark = [pytest.mark.frameworks, pytest.mark.slow, pytest.mark.timeout(3000)]

TRAINED = """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite import data
from suite.runtimes import implementation_module, runtime_module
from suite.llm.spec import SPEC
out, framework, folder, settings, *seeds = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("llm", framework)).Impl
spec = SPEC.with_dataset("wikitext-2-bpe").with_settings(json.loads(settings))
raw = data.load(Path(folder)).cut(spec)
train, test = (spec.inputs(one, "float32") for one in (raw.train, raw.test))

def perplexity(seed):
    one = Impl(spec, spec.initial_weights(seed), "float32", "cpu")
    taught, asked = one.place(train), one.place(test)
    one.compile(taught, "train")
    one.train(taught, spec.order(raw.train, seed, 1))
    return spec.evaluate(raw.test, one.infer(asked, np.arange(len(test["x"]))))["perplexity"]

with open(out, "w") as file:
    json.dump([perplexity(int(seed)) for seed in seeds], file)
"""


@pytest.fixture
def text(home, tmp_path):
    return real_sets.wikitext_bpe(tmp_path)


def of_pairs(text):
    """The test's perplexity by how often one follows another in training, mixed with how often it is there at all.

    Witten and Bell's weights (Chen and Goodman 1998): the more others follow a token, the less its pairs count.
    """
    raw = data.load(text)
    train, test = (np.asarray(one["tokens"], np.int64) for one in (raw.train, raw.test))
    size = int(max(train.max(), test.max())) + 1
    alone = np.bincount(train, minlength=size) + 0.1
    keys, counts = np.unique(train[:-1] * size + train[1:], return_counts=True)
    followers = np.bincount(keys // size, minlength=size)
    before = np.bincount(train[:-1], minlength=size)
    asked = test[:-1] * size + test[1:]
    place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    seen = np.where(keys[place] == asked, counts[place], 0)
    first, second = test[:-1], test[1:]
    mixed = seen + followers[first] * (alone / alone.sum())[second]
    likely = np.where(
        before[first] > 0, mixed / np.maximum(1, before + followers)[first], (alone / alone.sum())[second]
    )
    return float(np.exp(-np.log(likely).mean()))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_real_text_is_learnt(found_by, text, framework):
    found = found_by(TRAINED, framework, framework, str(text), json.dumps(SETTINGS), *SEEDS[:1])
    print(f"\n{framework}: perplexity {found}, by pairs {of_pairs(text):.1f}")
    assert max(found) < of_pairs(text)
