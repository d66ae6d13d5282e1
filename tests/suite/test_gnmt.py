"""GNMT against itself by NumPy: logits, losses and translations; and its spec's buckets, schedule and counts."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets import sentence_rows
from harness.datasets.synthetic_translation import STAND_IN
from harness.judges import bleu
from suite.dropout import mask_of, masks
from suite.gnmt import spec as numbers
from suite.gnmt.spec import SPEC
from suite.spec import SettingError
from suite.task import SAMPLE
from tests.suite.gnmt_by_hand import ByHand, Search, loss

SMALL = SPEC.with_settings(SPEC.proof_settings)
EXAMPLES = SMALL.examples(300, 1)


def test_the_numbers_of_its_words_and_rows_are_those_of_the_prepared_sets():
    for name in ("PADDING", "UNKNOWN", "BEGIN", "END"):
        assert getattr(numbers, name) == getattr(sentence_rows, name)
    assert numbers.ROW == sentence_rows.TRAIN_LENGTH


def test_it_has_the_parameters_of_the_published_layers():
    """Four layers of 1024, of which the first has two directions; four read what two others say."""
    one, both = 4 * 1024 * (1024 + 1024 + 1), 4 * 1024 * (2 * 1024 + 1024 + 1)
    encoder, decoder = 2 * one + both + 2 * one, one + 3 * both
    attention, words = 2 * 1024**2 + 2 * 1024 + 1, 32_000 * (1024 + 1024 + 1)
    shapes = SPEC.shapes.values()
    assert sum(int(np.prod(shape)) for shape in shapes) == encoder + decoder + attention + words


def test_weights_begin_within_the_published_limit():
    weights = SPEC.with_settings({"vocabulary": 1000}).initial_weights(1)
    for name, array in weights.items():
        if name not in ("attention/scale", "attention/bias"):
            assert 0.099 < np.abs(array).max() <= 0.1, name
    assert weights["attention/scale"] == 1 / 32 and not weights["attention/bias"].any()


@given(st.integers(1, 200), st.sampled_from([1, 7, 8, 10, 13, 25, 50, 60]))
def test_a_sentence_has_room_and_there_are_few_shapes(words, bucket):
    spec = SPEC.with_settings({"bucket": bucket})
    shapes = spec.padded(np.arange(1, 201))
    assert (shapes >= np.arange(1, 201)).all() and len(set(shapes)) <= -(-50 // bucket) + 2
    assert spec.padded(np.array([words])).item() == shapes[words - 1]
    if words <= 50:
        assert shapes[words - 1] - words < bucket


def test_an_epoch_takes_each_pair_once_and_puts_like_lengths_together():
    orders = [SMALL.with_settings({"batch_size": 16}).order(EXAMPLES, 5, epoch) for epoch in (1, 2)]
    assert all(len(np.unique(order)) == order.size == 18 * 16 for order in orders)
    assert not np.array_equal(*orders)
    longest = np.maximum(*(np.count_nonzero(words, axis=1) for words in EXAMPLES.values()))
    shapes = [set(SMALL.padded(longest[rows])) for rows in orders[0]]
    assert sum(len(one) > 1 for one in shapes) <= 1  # the batch between two buckets
    first = [max(one) for one in shapes]
    assert set(first) == {5, 10} and first != sorted(first)


def test_a_batch_is_cut_to_its_bucket_and_given_what_stands_before():
    rows = SMALL.order(EXAMPLES, 5, 1)[0][:16]
    batch = SMALL.batch(EXAMPLES, rows)
    shape = batch["source"].shape
    assert shape[1] in (5, 10) and all(one.shape == shape and one.dtype == np.int32 for one in batch.values())
    assert (batch["given"][:, 0] == numbers.BEGIN).all()
    assert np.array_equal(batch["given"][:, 1:], batch["target"][:, :-1])
    whole = [(EXAMPLES[name][rows] > 0).sum() for name in ("source", "target")]
    assert [(batch[name] > 0).sum() for name in ("source", "target")] == whole
    assert set(SMALL.batch(SMALL.without_targets(EXAMPLES), rows)) == {"source"}


def test_in_a_smaller_vocabulary_rarer_words_are_unknown():
    spec = SMALL.with_settings({"vocabulary": 6})
    seen = spec.batch(EXAMPLES, np.arange(50))["source"]
    stored = EXAMPLES["source"][:50, : seen.shape[1]]
    assert np.array_equal(seen, np.where(stored < 6, stored, numbers.UNKNOWN))


def test_the_rate_warms_up_and_is_halved_four_times():
    rates = SPEC.rates(0, 40_000)
    assert rates[0] == pytest.approx(2e-5) and rates[100] == pytest.approx(2e-4)
    assert (rates[200:18_200] == 0.002).all()
    assert [rates[step] / 0.002 for step in (18_200, 20_480, 22_760, 25_040, 39_999)] == [
        1 / 2,
        1 / 4,
        1 / 8,
        1 / 16,
        1 / 16,
    ]
    assert np.array_equal(SPEC.rates(150, 100), rates[150:250])


def test_tokens_are_those_read_and_those_written():
    rows = np.arange(12).reshape(3, 4)
    words = {name: int((EXAMPLES[name][:12] > 0).sum()) for name in EXAMPLES}
    assert SMALL.counted(EXAMPLES, rows) == {SAMPLE: 12, "token": sum(words.values())}
    written = np.zeros((12, 8), int)
    written[:, :2] = 3
    assert SMALL.counted(EXAMPLES, rows.ravel(), {"tokens": written})["token"] == words["source"] + 24


def test_examples_are_rows_as_they_are_prepared():
    for words in EXAMPLES.values():
        assert words.shape == (300, 50) and words.dtype == np.uint16 and words.max() < SMALL.vocabulary
        ends = (words == numbers.END).argmax(axis=1)
        assert ((words == numbers.END).sum(axis=1) == 1).all()
        assert all(
            (row[:end] > numbers.END).all() and not row[end + 1 :].any()
            for row, end in zip(words, ends, strict=True)
        )


def test_the_host_judges_what_was_written_and_nothing_else(tmp_path):
    STAND_IN.write(tmp_path, tmp_path)
    right = np.load(tmp_path / "test_target.npy").astype(np.int32)[:, :16]
    outputs = {"tokens": right, "log_probability": np.zeros(len(right), np.float32)}
    told = SPEC.with_settings({"vocabulary": 40}).for_judges(outputs)
    assert set(told) == {"tokens"} and told["tokens"].max() < 40
    assert bleu.of(tmp_path).judge(told) == pytest.approx(100)
    half = np.where(np.arange(len(right))[:, np.newaxis] % 2, right, numbers.UNKNOWN)
    assert 25 < bleu.of(tmp_path).judge({"tokens": half}) < 60


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("layers", 1), ("vocabulary", 4), ("dropout", -0.5), ("dropout", 1.0), ("smoothing", 1.0),
        ("clip_norm", -1.0), ("learning_rate", float("nan")), ("length_penalty", float("inf")),
    ],
)  # fmt: skip
def test_a_setting_out_of_range_is_refused(name, value):
    with pytest.raises(SettingError, match=f"{name} must be"):
        SPEC.with_settings({name: value})


SCRIPT = """
import json, sys
import numpy as np
import torch
from suite.dropout import masks
from suite.gnmt.spec import SPEC
from suite.gnmt.torch_impl import Impl
from suite.runtimes import torch_runtime
out, settings = sys.argv[1:]
torch_runtime.configure(1, "cpu")
spec = SPEC.with_settings(SPEC.proof_settings)
examples = spec.examples(40, 1)
asked = spec.without_targets(examples)

def of_training(masked):
    one = Impl(spec, spec.initial_weights(3), "float64", "cpu")
    data = examples | (masks(spec.sites(), 40, 7) if masked else {})
    batch = one._moved(spec.batch(data, np.arange(40)))
    one.net.train(masked)
    outputs = one.apply(one.net, batch, "train")
    return {"logits": outputs["logits"].tolist(), "loss": one.loss(outputs, batch).item()}

def translations(**changed):
    new = spec.with_settings(changed)
    one = Impl(new, new.initial_weights(3), "float64", "cpu")
    return {name: array.tolist() for name, array in one.infer(asked, np.arange(40)).items()}

found = {name: of_training(name == "masked") for name in ("plain", "masked")}
found |= {name: translations(**changed) for name, changed in json.loads(settings).items()}
with open(out, "w") as file:
    json.dump(found, file)
"""
# By so many sentences as there are: nothing is left out, so that the best of all is found.
SEARCHES = {
    "beam": {"beam": 3},
    "greedy": {"beam": 1},
    "sure of itself": {"beam": 4, "length_penalty": 0.0, "coverage_penalty": 1.0},
    "exhaustive": {"vocabulary": 6, "most_words": 3, "beam": 160},
}


@pytest.fixture(scope="module")
def found(found_by):
    return found_by(SCRIPT, "torch", json.dumps(SEARCHES))


def words(row):
    return [int(one) for one in row[: np.flatnonzero(row == numbers.END)[0] + 1]]


PAIRS = list(zip(*(map(words, EXAMPLES[name]) for name in ("source", "target")), strict=True))[:40]


@pytest.mark.frameworks
@pytest.mark.parametrize("case", ["plain", "masked"])
def test_logits_and_loss_are_those_by_hand(found, case):
    """The masks of dropout, where there are any, are cut with the sentences."""
    examples, weights, kept = SMALL.examples(40, 1), SMALL.initial_weights(3), masks(SMALL.sites(), 40, 7)
    pairs = zip(*(map(words, examples[name]) for name in ("source", "target")), strict=True)
    total = count = 0
    for row, (source, target) in enumerate(pairs):
        left = {site: kept[mask_of(site)][row] for site in SMALL.sites()} if case == "masked" else None
        net = ByHand(weights, SMALL.layers, left, 1 - SMALL.dropout)
        logits, _ = net.logits(source, [numbers.BEGIN, *target[:-1]])
        assert np.abs(found[case]["logits"][row][: len(target)] - logits).max() < 1e-10
        total, count = total + loss(logits, target, SMALL.smoothing), count + len(target)
    assert found[case]["loss"] == pytest.approx(total / count, rel=1e-10)


@pytest.mark.frameworks
@pytest.mark.parametrize("case", SEARCHES)
def test_translations_are_those_by_hand(found, case):
    spec = SMALL.with_settings(SEARCHES[case])
    sources = [words(row) for row in SMALL.examples(40, 1)["source"]]
    if case == "exhaustive":
        sources = [[min(word, numbers.UNKNOWN) if word >= 6 else word for word in one] for one in sources[:8]]
    net = ByHand(spec.initial_weights(3), spec.layers)
    for row, source in enumerate(sources):
        search = Search(net, source, spec.most_words, (spec.length_penalty, spec.coverage_penalty))
        said, total = search.exhaustive(6) if case == "exhaustive" else search.beam(spec.beam)
        told = found[case]["tokens"][row]
        assert told == said + [0] * (spec.most_words - len(said))
        assert found[case]["log_probability"][row] == pytest.approx(total, rel=1e-10)
