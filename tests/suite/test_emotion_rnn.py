"""The LSTM's numbers: its spec as a recurrence in NumPy, and planted errors that only a recurrent network may have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.conformance.comparison import compare, distance, failures
from harness.conformance.tolerances import EXACT, tolerance
from suite.emotion_rnn.spec import CLASSES, LENGTH, SPEC, UNKNOWN
from suite.verify import AT_ONCE, KINDS, SEED, as_proven, samples_of, sketch

PROVEN = as_proven(SPEC, KINDS[EXACT])


def test_it_has_the_parameters_that_its_shapes_say():
    weights = SPEC.initial_weights(3)
    assert {name: array.shape for name, array in weights.items()} == SPEC.shapes
    lstm, dense = 4 * 64 * (64 + 64 + 1), CLASSES * (64 + 1)
    assert sum(array.size for array in weights.values()) == 10_000 * 64 + lstm + dense


def test_the_forget_gate_begins_open():
    forget = SPEC.initial_weights(0)["lstm/bias"].reshape(4, SPEC.hidden)
    assert forget.tolist() == [[0.0] * 64, [1.0] * 64, [0.0] * 64, [0.0] * 64]


@given(st.lists(st.integers(0, 9_999), min_size=LENGTH, max_size=LENGTH), st.integers(2, 10_000))
def test_in_a_smaller_vocabulary_the_rarer_words_are_unknown(words, vocabulary):
    row = np.array([words], np.int32)
    seen = SPEC.with_settings({"vocabulary": vocabulary}).features(row)
    assert seen.dtype == np.int32 and seen.max() < vocabulary
    assert np.array_equal(seen, np.where(row < vocabulary, row, UNKNOWN))
    assert np.array_equal(SPEC.features(row), row)


def test_examples_are_sentences_of_every_class_behind_their_padding():
    words, labels = PROVEN.examples(300, 0).values()
    assert words.shape == (300, LENGTH) and words.dtype == np.int32
    assert words.max() < PROVEN.vocabulary
    assert set(labels) == set(range(CLASSES))
    padding = words == 0
    assert np.array_equal(padding, np.sort(padding, axis=1)[:, ::-1])
    assert 0.2 < padding.mean() < 0.8 and not padding[:, -2:].any()


RECORDS = """
import json, sys
import torch
from suite import verify
from suite.emotion_rnn import torch_impl
from suite.emotion_rnn.spec import SPEC

class SecondBias(torch_impl.Net):
    def __init__(self, spec):
        super().__init__(spec)
        self.lstm.bias_ih_l0.register_hook(lambda gradient: 2 * gradient)  # what two trained biases amount to

class FixedPadding(torch_impl.Net):
    def __init__(self, spec):
        super().__init__(spec)
        self.embedding.padding_idx = 0

class Mean(torch_impl.Net):
    def forward(self, x):
        states, _ = self.lstm(self.embedding(x))
        return self.dense(states.mean(1))

class Gates(torch_impl.Net):
    def forward(self, x):
        with torch.no_grad():
            for array in (self.lstm.weight_ih_l0, self.lstm.weight_hh_l0, self.lstm.bias_ih_l0):
                array.copy_(torch.cat([array.chunk(4)[gate] for gate in (0, 1, 3, 2)]))
        return super().forward(x)

records = {}
for net in (torch_impl.Net, SecondBias, FixedPadding, Mean, Gates):
    torch_impl.Net = net
    records[net.__name__] = verify.record(torch_impl.Impl, SPEC, verify.KINDS["exact"], "cpu")
with open(sys.argv[1], "w") as file:
    json.dump(records, file)
"""


@pytest.fixture(scope="module")
def records(found_by):
    """Name of a network -> what PyTorch recorded of it; `Net` is the one without an error."""
    return found_by(RECORDS, "torch")


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _logits(weights, words):
    """The recurrence as the spec writes it."""
    kernel, recurrent, bias = (weights[f"lstm/{name}"] for name in ("kernel", "recurrent_kernel", "bias"))
    h = c = np.zeros((len(words), PROVEN.hidden))
    for x in np.moveaxis(weights["embedding/embeddings"][words], 1, 0):
        i, f, g, o = np.split(x @ kernel + h @ recurrent + bias, 4, axis=1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        h = _sigmoid(o) * np.tanh(c)
    return h @ weights["dense/kernel"] + weights["dense/bias"]


@pytest.mark.frameworks
def test_the_reference_computes_the_recurrence_that_the_spec_writes(records):
    words = PROVEN.examples(samples_of(PROVEN, KINDS[EXACT]), SEED)["x"]
    expected = sketch(_logits(PROVEN.initial_weights(SEED), words[:AT_ONCE]))
    assert distance(records["Net"]["outputs"]["scores"]["entries"], expected["entries"]) < 1e-12


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("drift", "seen_in"),
    [
        ("SecondBias", "losses"),
        ("FixedPadding", "gradients embedding/embeddings"),
        ("Mean", "outputs"),
        ("Gates", "outputs"),
    ],
)
def test_a_planted_error_is_found(records, drift, seen_in):
    checks = compare(records[drift], records["Net"], tolerance("keras", EXACT, SPEC.tolerances))
    assert seen_in in [one.check for one in failures(list(checks))]


@pytest.mark.frameworks
def test_without_a_planted_error_nothing_is_found(records):
    checks = compare(records["Net"], records["Net"], tolerance("torch", EXACT, {}))
    assert failures(list(checks)) == []
