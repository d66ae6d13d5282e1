"""Small Transformer-XL learns real text: it predicts the test's next words better than their frequencies do."""

import json

import numpy as np
import pytest

from tests import real_sets

SIZES = {
    "first_cutoff": 2000,
    "second_cutoff": 5000,
    "third_cutoff": 10_000,
    "first_room": 0.25,
    "second_room": 0.15,
    "third_room": 0.08,
    "batch_size": 16,
    "predict_batch_size": 16,
}
BRIEF = {**SIZES, "iterations": 720, "evaluate_every": 720}  # once and a half over the text
ROWS = 960  # of the test, about a quarter
SCRIPT = """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite.runtimes import runtime_module
out, framework, settings, folder = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite import data
from suite.transformer_xl.spec import SMALL, SPEC
spec = SPEC.with_dataset("wikitext-2").with_settings({**SMALL, **json.loads(settings)})
Impl = importlib.import_module(f"suite.transformer_xl.{framework.partition('-')[0]}_impl").Impl
sets = data.load(Path(folder)).cut(spec)
one = Impl(spec, spec.initial_weights(1), "float32", "cpu")
taught, asked = (one.place(spec.inputs(split, "float32")) for split in (sets.train, sets.test))
one.compile(taught, "train")
for piece in range(1, spec.pieces + 1):
    one.train(taught, spec.order(sets.train, 1, piece))
nll = one.infer(asked, np.arange(ROWS))
words = sets.test["x"][:ROWS, 1:].ravel().tolist()
Path(out).write_text(json.dumps([spec.evaluate(sets.test, nll)["perplexity"], words]))
""".replace("ROWS", str(ROWS))


def of_frequencies(folder, words):
    """Perplexity of these words by how often they are in the training text: all of them are there."""
    counts = np.bincount(np.load(folder / "train_tokens.npy"))
    return np.exp(-np.log(counts / counts.sum())[words].mean())


@pytest.fixture
def text(tmp_path):
    """Where it lies; the environments' home stays."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
        return real_sets.wikitext(tmp_path)


@pytest.mark.frameworks
@pytest.mark.timeout(1500)
def test_after_one_reading_and_a_half_its_perplexity_is_well_below_that_of_frequencies(found_by, text):
    perplexity, words = found_by(SCRIPT, "torch", "torch", json.dumps(BRIEF), text)
    assert perplexity < of_frequencies(text, words) / 1.6
