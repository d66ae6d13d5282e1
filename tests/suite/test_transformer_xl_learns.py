"""Transformer-XL learns real text: of words that it never saw it knows far more than how frequent they are."""

import json

import numpy as np
import pytest

from suite import data
from tests import real_sets

SETTINGS = {
    "layers": 2, "width": 128, "embedding": 128, "heads": 4, "head_width": 32, "inner": 256, "segment": 32,
    "memory": 64, "batch_size": 16, "first_cutoff": 4000, "second_cutoff": 8000, "third_cutoff": 16_000,
    "first_room": 0.4, "second_room": 0.3, "third_room": 0.3, "learning_rate": 0.001, "dropout": 0.15,
    "iterations": 3000, "evaluate_every": 3000,
}  # fmt: skip
FRAMEWORKS = ("torch", "jax", "tensorflow", "keras")
BETTER = 3.0  # times, than the words' frequencies, whose perplexity is 679; PyTorch ended at 202

# Ten minutes of one CPU.
pytestmark = [pytest.mark.frameworks, pytest.mark.slow, pytest.mark.timeout(3000)]

TRAINED = """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite import data
from suite.runtimes import implementation_module, runtime_module
from suite.transformer_xl.spec import SPEC
out, framework, folder, settings, *seeds = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module("transformer_xl", framework)).Impl
spec = SPEC.with_dataset("wikitext-2").with_settings(json.loads(settings))
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
    return real_sets.wikitext(tmp_path)


def of_frequencies(text):
    """The perplexity of the test's words by how often each is in the training text; of an unseen one, a tenth."""
    raw = data.load(text)
    counts = np.bincount(raw.train["tokens"]) + 0.1
    return np.exp(-np.log(counts / counts.sum())[raw.test["tokens"]].mean())


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_real_text_is_learnt(found_by, text, framework):
    words = int(data.load(text).train["tokens"].max()) + 1
    settings = json.dumps({**SETTINGS, "most_words": words})
    (found,) = found_by(TRAINED, framework, framework, str(text), settings, "1")
    print(f"\n{framework}: perplexity {found:.1f}, by frequencies {of_frequencies(text):.1f}")
    assert found * BETTER <= of_frequencies(text)
