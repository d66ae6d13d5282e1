"""Transformer-XL's numbers: its formulas place by place in NumPy, its columns of text, and what it leaves to others."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from harness import paths
from suite.spec import SettingError
from suite.transformer_xl import stream
from suite.transformer_xl.spec import NORM_EPSILON, SPEC

TINY = SPEC.with_settings(dict(SPEC.proof_settings)).with_settings(
    {"batch_size": 3, "predict_batch_size": 3, "segment": 5, "memory": 7}
)
SEGMENTS = 3
WITNESS = paths.ROOT / ".venv-witness/bin/python"


def test_the_base_has_the_published_size():
    """The paper says 151 million; the authors' code counts so many in its log."""
    assert sum(int(np.prod(shape)) for shape in SPEC.shapes.values()) == 151_107_538


def test_rows_of_a_step_go_on_where_those_before_ended():
    found = stream.cut(np.arange(100, dtype=np.int32), columns=3, segment=5)
    x = found["x"].reshape(-1, 3, 6)
    assert len(x) == 6 and np.array_equal(x[1:, :, 0], x[:-1, :, -1])
    assert np.array_equal(x[0, :, 0], [0, 33, 66]) and np.all(np.diff(x, axis=2) == 1)
    assert found["begins"].tolist() == [True] * 3 + [False] * 15


def test_a_text_too_short_for_a_batch_is_refused():
    with pytest.raises(SettingError, match="the train text has no 3 segments of 5 words"):
        TINY.as_samples({"tokens": np.zeros(15, np.int32)}, "train")
    assert len(TINY.as_samples({"tokens": np.zeros(16, np.int32)}, "train")["x"]) == 3


def test_training_goes_on_in_time_over_its_pieces_and_over_the_end():
    spec = TINY.with_settings({"iterations": 8, "evaluate_every": 4})
    orders = np.concatenate([spec.order({"x": np.zeros(3 * 6 + 1)}, 1, piece) for piece in (1, 2)])
    assert orders.shape == (8, 3) and (orders // 3 == np.arange(8)[:, np.newaxis] % 6).all()
    assert (orders % 3 == [0, 1, 2]).all()


def test_a_pass_has_its_columns_in_another_order_and_its_time_in_the_same():
    orders = [TINY.pass_order(20, 1, number) for number in range(6)]
    assert all(np.array_equal(np.sort(one), np.arange(20)) for one in orders)
    whole = np.stack([one[:18].reshape(6, 3) for one in orders])
    assert (whole // 3 == np.arange(6)[:, np.newaxis]).all() and (whole % 3 == whole[:, :1] % 3).all()
    assert len({tuple(one[:3]) for one in orders}) > 1


def test_more_rare_words_than_there_is_room_for_are_refused():
    spec = TINY.with_settings({"first_room": 0.3})
    rare = np.full(16, 25, np.int32)
    with pytest.raises(SettingError, match=r"1\.000 are words 20 to 30: raise first_room above that"):
        spec.as_samples({"tokens": rare}, "train")
    assert len(spec.as_samples({"tokens": rare * 0}, "train")["x"]) == 3


def test_each_text_is_held_to_its_own_batches():
    """Of a segment alone all words may be rare, of three beside each other a third."""
    spec = TINY.with_settings({"first_room": 0.4, "predict_batch_size": 1})
    text = np.repeat([25, 0, 0], 15).astype(np.int32)
    text = np.append(text, 0)
    assert len(spec.as_samples({"tokens": text}, "train")["x"]) == 9
    with pytest.raises(SettingError, match="first_room"):
        spec.as_samples({"tokens": text}, "test")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"first_cutoff": 40, "second_cutoff": 30}, "must ascend"),
        ({"first_cutoff": 30, "second_cutoff": 30}, "must ascend"),
        ({"narrowing": 40}, "narrowing leaves"),
        ({"first_room": 1.5}, "first_room must be at least 0 and at most 1"),
        ({"third_room": float("nan")}, "third_room must be a finite number"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 0.999"),
        ({"clip_norm": -0.25}, "clip_norm must be at least 0"),
    ],
)
def test_a_setting_out_of_range_is_refused(settings, told):
    with pytest.raises(SettingError, match=told):
        TINY.with_settings(settings)


def test_the_rate_falls_by_half_a_cosine():
    rates = SPEC.rates(0, SPEC.iterations + 1)
    assert rates[0] == SPEC.learning_rate and rates[SPEC.iterations // 2] == pytest.approx(rates[0] / 2)
    assert rates[-1] == 0 and (np.diff(rates) < 0).all()


def test_perplexity_is_that_of_all_words():
    nll = np.log([[2.0, 8.0], [4.0, 4.0]])
    assert SPEC.evaluate({}, {"nll": nll}) == {"perplexity": pytest.approx(4.0)}


SCRIPT = """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite.runtimes import runtime_module
out, framework, settings, folder = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.transformer_xl.spec import SPEC
spec = SPEC.with_settings(json.loads(settings))
Impl = importlib.import_module(f"suite.transformer_xl.{framework}_impl").Impl
with np.load(Path(folder) / "weights.npz") as archive:
    weights = dict(archive)
with np.load(Path(folder) / "data.npz") as archive:
    data = dict(archive)
one = Impl(spec, weights, "float64", "cpu")
nll = one.infer(one.place(data), np.arange(len(data["x"])))["nll"]
Path(out).write_text(json.dumps(nll.tolist()))
"""
CHANGED = {
    "as proven": {},
    "vectors of one width": {"narrowing": 1, "embedding": 16},
    "no clusters": {"first_cutoff": 100, "second_cutoff": 100, "third_cutoff": 100},
    "a memory shorter than a segment": {"memory": 2},
}


@pytest.mark.frameworks
@pytest.mark.parametrize("changed", CHANGED)
def test_the_formulas_place_by_place_give_the_same_likelihoods(found_by, tmp_path, changed):
    """The second and third segment look back into memory; the biases, 0 at first, are drawn here."""
    spec = TINY.with_settings(CHANGED[changed])
    weights, data = drawn(spec, tmp_path)
    found = of_torch(found_by, spec, tmp_path)
    wanted = by_formulas(spec, weights, data["x"].reshape(SEGMENTS, 3, -1)).reshape(found.shape)
    assert found == pytest.approx(wanted, rel=1e-10)


SOME_ROWS = """
import importlib, json, sys
import numpy as np
from suite.runtimes import runtime_module
out, framework, settings = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite.transformer_xl.spec import SPEC
spec = SPEC.with_settings(json.loads(settings))
Impl = importlib.import_module(f"suite.transformer_xl.{framework}_impl").Impl
one, words = Impl(spec, spec.initial_weights(1), "float64", "cpu"), spec.segment + 1
x = np.zeros((3, words), np.int32)
x[0] = 25  # all the rare words that a batch has room for
data = one.place({"x": x, "begins": np.ones(3, bool)})
found = {str(rows): one.infer(data, np.arange(rows))["nll"][0].tolist() for rows in (1, 2, 3)}
with open(out, "w") as file:
    json.dump(found, file)
"""


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", ["torch", "jax", "tensorflow", "keras"])
def test_rare_words_have_room_in_a_smaller_batch_too(found_by, framework):
    settings = {**SPEC.proof_settings, "predict_batch_size": 3, "first_room": 0.34}
    found = found_by(SOME_ROWS, framework, framework, json.dumps(settings))
    assert found["1"] == pytest.approx(found["3"], rel=1e-12)
    assert found["2"] == pytest.approx(found["3"], rel=1e-12)


@pytest.mark.frameworks
@pytest.mark.slow
def test_the_transformers_library_gives_the_same_likelihoods(found_by, tmp_path):
    assert WITNESS.exists(), "`make test-slow` makes its environment"
    drawn(TINY, tmp_path)
    sizes = {
        "vocab_size": TINY.words,
        "cutoffs": [end for _, end in TINY.bounds[:-1]],
        "tie_projs": [True] * len(TINY.bounds),
        "d_model": TINY.width,
        "d_embed": TINY.embedding,
        "n_head": TINY.heads,
        "d_head": TINY.head_width,
        "d_inner": TINY.inner,
        "div_val": TINY.narrowing,
        "n_layer": TINY.layers,
        "mem_len": TINY.memory,
        "layer_norm_epsilon": NORM_EPSILON,
        "columns": TINY.predict_batch_size,
    }
    (tmp_path / "sizes.json").write_text(json.dumps(sizes))
    subprocess.run([WITNESS, Path(__file__).with_name("transformers_witness.py"), tmp_path], check=True)
    found = of_torch(found_by, TINY, tmp_path)
    assert found == pytest.approx(np.load(tmp_path / "nll.npy"), rel=1e-10)


def drawn(spec, folder):
    """Weights and data, which lie in the folder, too."""
    generator = np.random.default_rng(5)
    weights = {
        name: array + generator.normal(0, 0.3, array.shape) for name, array in spec.initial_weights(2).items()
    }
    text = generator.integers(0, spec.words, 3 * SEGMENTS * spec.segment + 1).astype(np.int32)
    data = stream.cut(text, 3, spec.segment)
    np.savez(folder / "weights.npz", **weights)
    np.savez(folder / "data.npz", **data)
    return weights, data


def of_torch(found_by, spec, folder):
    settings = {
        name: getattr(spec, name) for name in (*SPEC.proof_settings, "batch_size", "predict_batch_size")
    }
    return np.array(found_by(SCRIPT, "torch", "torch", json.dumps(settings), folder))


def by_formulas(spec, weights, x):
    """Dai et al. 2019, section 3.3; Baevski and Auli 2019; Grave et al. 2017: [segments, columns, words]."""
    nll = np.empty(x[..., 1:].shape)
    for column in range(x.shape[1]):
        memory = [np.zeros((spec.memory, spec.width)) for _ in range(spec.layers)]
        for segment in range(x.shape[0]):
            words = x[segment, column]
            state, memory = read(spec, weights, words[:-1], memory)
            nll[segment, column] = [
                unlikely(spec, weights, *one) for one in zip(state, words[1:], strict=True)
            ]
    return nll


def read(spec, weights, words, memory):
    """The last layer's states, and what entered each layer of the last words."""
    state = np.stack([vector(spec, weights, word) for word in words]) * np.sqrt(spec.width)
    kept = []
    for number, before in enumerate(memory):
        seen = np.concatenate([before, state])
        kept.append(seen[len(seen) - spec.memory :])
        layer = {
            name.partition("_")[2]: array
            for name, array in weights.items()
            if name.startswith(f"layer{number}_")
        }
        found = np.stack([attended(spec, weights, layer, seen, place) for place in range(len(words))])
        state = normed(state + found @ layer["attention/kernel"], layer, "attention_norm")
        inner = np.maximum(state @ layer["inner/kernel"] + layer["inner/bias"], 0)
        state = normed(state + inner @ layer["outer/kernel"] + layer["outer/bias"], layer, "outer_norm")
    return state, kept


def attended(spec, weights, layer, seen, place):
    """Of one word: (a) content and (b) distance, each with (c), (d) what holds for all words."""
    query = np.split(seen[spec.memory + place] @ layer["queries/kernel"], spec.heads)
    kernel_of_keys, kernel_of_values = np.split(layer["memory/kernel"], 2, axis=1)
    found = []
    for head, one in enumerate(query):
        own = slice(head * spec.head_width, (head + 1) * spec.head_width)
        scores = []
        for other in range(spec.memory + place + 1):
            key = seen[other] @ kernel_of_keys[:, own]
            distance = wave(spec, spec.memory + place - other) @ layer["positions/kernel"][:, own]
            content, position = weights["content/bias"][head], weights["position/bias"][head]
            scores.append(one @ key + content @ key + one @ distance + position @ distance)
        share = np.exp(np.array(scores) / np.sqrt(spec.head_width))
        found.append(share / share.sum() @ seen[: spec.memory + place + 1] @ kernel_of_values[:, own])
    return np.concatenate(found)


def wave(spec, distance):
    angles = [distance / 10_000 ** (2 * number / spec.width) for number in range(spec.width // 2)]
    return np.array([*np.sin(angles), *np.cos(angles)])


def normed(x, layer, name):
    scaled = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + NORM_EPSILON)
    return scaled * layer[f"{name}/gamma"] + layer[f"{name}/beta"]


def vector(spec, weights, word):
    number, (first, _) = cluster_of(spec, word)
    return widened(weights, number, weights[f"words{number}/embeddings"][word - first])


def widened(weights, number, array):
    return array @ weights[f"wide{number}/kernel"] if f"wide{number}/kernel" in weights else array


def cluster_of(spec, word):
    return next(
        (number, bounds) for number, bounds in enumerate(spec.bounds) if bounds[0] <= word < bounds[1]
    )


def unlikely(spec, weights, state, word):
    """-log P(word), of a rare one P(cluster) P(word | cluster)."""
    number, (first, _) = cluster_of(spec, word)
    (_, shortlist), *clusters = spec.bounds
    head = scores_of(weights, 0, state)
    if clusters:
        narrow = state @ weights["wide0/kernel"].T if "wide0/kernel" in weights else state
        head = np.append(head, narrow @ weights["clusters/kernel"] + weights["clusters/bias"])
    if number == 0:
        return surprise(head, word)
    return surprise(head, shortlist + number - 1) + surprise(scores_of(weights, number, state), word - first)


def scores_of(weights, number, state):
    table = widened(weights, number, weights[f"words{number}/embeddings"])
    return table @ state + weights[f"likely{number}/bias"]


def surprise(scores, place):
    return np.log(np.exp(scores).sum()) - scores[place]
