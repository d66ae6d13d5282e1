"""GNMT learns real sentences by heart: news in English and German, judged by BLEU as a run is."""

import json

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor

from harness.datasets.sentence_rows import SUBWORDS
from harness.judges.bleu import Bleu, sentence
from tests import real_sets

FRAMEWORKS = ("torch", "jax", "tensorflow", "keras", "keras-jax", "keras-torch")
SETTINGS = {
    "vocabulary": 2000, "hidden": 64, "layers": 2, "batch_size": 32, "predict_batch_size": 100, "bucket": 12,
    "beam": 1, "most_words": 30, "learning_rate": 0.01, "dropout": 0.0,
}  # fmt: skip
# Pairs, epochs, and the schedule. 2 000 take 270 s of one CPU.
FEW = 100, {"epochs": 100, "warmup_steps": 20, "remain_steps": 200, "decay_interval": 30}
MANY = 2000, {"epochs": 40, "warmup_steps": 60, "remain_steps": 2000, "decay_interval": 300}
LEAST_BLEU = 30

pytestmark = pytest.mark.frameworks

SCRIPT = """
import importlib, json, sys
import numpy as np
from suite.gnmt.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
out, framework, folder, settings, seed = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
spec, seed = SPEC.with_settings(json.loads(settings)), int(seed)
pairs = {name: np.load(f"{folder}/{name}.npy") for name in ("source", "target")}
implementation = importlib.import_module(implementation_module("gnmt", framework)).Impl
one = implementation(spec, spec.initial_weights(seed), "float32", "cpu")
losses = [one.train(pairs, spec.order(pairs, seed, epoch)).loss for epoch in range(1, spec.epochs + 1)]
tokens = one.infer(spec.without_targets(pairs), np.arange(len(pairs["source"])))["tokens"]
with open(out, "w") as file:
    json.dump({"losses": losses, "tokens": tokens.tolist()}, file)
"""


@pytest.fixture
def learnt(found_by, home, tmp_path):
    """A function (framework, pairs, settings, seed) -> BLEU of the pairs that were learnt, and the losses."""
    place = real_sets.translation(tmp_path, 6000)
    subwords = SentencePieceProcessor(model_file=str(place / SUBWORDS))
    rows = {name: np.load(place / f"train_{name}.npy") for name in ("source", "target")}

    def learn(framework, pairs, settings, seed=0):
        longest = np.maximum(*(np.count_nonzero(one, axis=1) for one in rows.values()))
        shortest = np.argsort(longest, kind="stable")[:pairs]
        for name, one in rows.items():
            np.save(tmp_path / f"{name}.npy", one[shortest])
        words = json.dumps({**SETTINGS, **settings})
        told = found_by(SCRIPT, framework, framework, str(tmp_path), words, str(seed))
        references = [subwords.decode(sentence(row)) for row in rows["target"][shortest]]
        judge = Bleu(references, subwords.decode, subwords.vocab_size())
        return judge.judge({"tokens": np.array(told["tokens"])}), told["losses"]

    return learn


@pytest.mark.unhurried
def test_few_real_sentences_are_learnt_by_heart(learnt):
    bleu, losses = learnt("torch", *FEW)
    assert losses[-1] < 0.5 * losses[0]
    assert bleu >= LEAST_BLEU


@pytest.mark.slow
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_two_thousand_real_sentences_are_learnt_by_heart(learnt, framework):
    bleu, losses = learnt(framework, *MANY)
    print(f"\n{framework}: BLEU {bleu:.1f}, loss {losses[-1]}")
    assert bleu >= LEAST_BLEU
