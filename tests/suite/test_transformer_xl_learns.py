"""Transformer-XL learns real text: of words that it never saw it knows far more than how frequent they are."""

import numpy as np
import pytest

from suite import data
from tests import real_sets
from tests.suite.perplexities import perplexities

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
    of = "transformer_xl", "wikitext-2", framework
    (found,) = perplexities(found_by, of, text, {**SETTINGS, "most_words": words}, [1])
    print(f"\n{framework}: perplexity {found:.1f}, by frequencies {of_frequencies(text):.1f}")
    assert found * BETTER <= of_frequencies(text)
