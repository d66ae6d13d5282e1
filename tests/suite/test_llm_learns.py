"""The language model learns real text: of byte pairs that it never saw it knows more than how often two follow."""

import numpy as np
import pytest

from suite import data
from tests import real_sets
from tests.suite.perplexities import perplexities

SETTINGS = {
    "size": "tiny", "context": 64, "prompt_tokens": 32, "new_tokens": 32, "batch_size": 32, "iterations": 1200,
    "evaluate_every": 1200, "learning_rate": 0.005, "warmup_steps": 100,
}  # fmt: skip
FRAMEWORKS = ("torch", "jax", "tensorflow", "keras")
SEEDS = (1, 2, 3)

# Minutes of one CPU for each training.
pytestmark = [pytest.mark.frameworks, pytest.mark.slow, pytest.mark.timeout(6000)]


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


def test_real_text_is_learnt_alike_by_all_frameworks(found_by, text):
    """More alike than two seeds of one framework: weights, order and arithmetic are the same."""
    seeds = dict.fromkeys(FRAMEWORKS, SEEDS[:1]) | {FRAMEWORKS[0]: SEEDS}
    found = {
        name: perplexities(found_by, ("llm", "wikitext-2-bpe", name), text, SETTINGS, several)
        for name, several in seeds.items()
    }
    print(f"\nperplexities {found}, by pairs {of_pairs(text):.1f}")
    of_seeds, of_frameworks = found[FRAMEWORKS[0]], [one[0] for one in found.values()]
    assert max(of_seeds + of_frameworks) < of_pairs(text)
    assert np.ptp(of_frameworks) <= np.ptp(of_seeds)
