"""Stand-ins say what they are, are the same everywhere, and can be learnt."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier

from harness.datasets import prepared, source, sources
from harness.datasets.base import is_at_hand
from harness.datasets.emotion import EMOTIONS, LENGTH, VOCABULARY
from harness.datasets.imagenet import STAND_IN_CLASSES, STAND_IN_SHAPE
from harness.datasets.synthetic import CLASS_WORDS, COMMON_WORDS, FIRST_WORD

WORDS = FIRST_WORD + len(EMOTIONS) * CLASS_WORDS + COMMON_WORDS
# Official data set -> shape of an example, type, classes, least accuracy of a linear model.
KNOWN = {
    "cifar10": ((32, 32, 3), "uint8", 10, 0.95),
    "cifar100": ((32, 32, 3), "uint8", 100, 0.75),
    "svhn": ((32, 32, 3), "uint8", 10, 0.95),
    "malaria": ((64, 64, 3), "uint8", 2, 0.99),
    "fashion_mnist": ((28, 28), "uint8", 10, 0.8),
    "emotion": ((LENGTH,), "int32", len(EMOTIONS), 0.95),
    "imagenet": (STAND_IN_SHAPE, "uint8", STAND_IN_CLASSES, 0.9),
}
SHA256_STARTS = {
    "cifar10": "69c156c7a2a21d96",
    "cifar100": "b1e8e981c28a4ed6",
    "svhn": "bbb28f97f74d79d3",
    "malaria": "cb32b1660127bc05",
    "fashion_mnist": "135d595c884bb252",
    "emotion": "47401de98402d905",
    "movielens": "13d86e7f5ddde505",
    "wikitext": "582b109f91054237",
    "translation": "92a2ddf6dbd11b95",
    "imagenet": "72c270029eb58fbb",
}


SHARED = {
    **dict.fromkeys(("ml-20m", "ml-1m", "ml-latest-small"), "movielens"),
    **dict.fromkeys(("wikitext-103", "wikitext-2", "wikitext-103-bpe", "wikitext-2-bpe"), "wikitext"),
    "wmt16-en-de": "translation",
}


@cache
def arrays(name: str) -> dict[str, np.ndarray]:
    return source(f"synthetic-{name}").arrays(Path())


def features(x: np.ndarray) -> np.ndarray:
    """Means over coarse cells of images, counts of words of sentences."""
    if x.ndim == 2:
        return np.stack([np.bincount(row, minlength=WORDS)[1:] for row in x]).astype(np.float32)
    n, height, width, *channels = x.shape
    blocks = x.reshape(n, 4, height // 4, 4, width // 4, *channels)
    return blocks.mean(axis=(2, 4)).reshape(n, -1)


def test_every_downloaded_data_set_but_mnist_has_one() -> None:
    """The digits are the stand-in of mnist; several sizes of one thing share theirs."""
    official = {name for name, one in sources().items() if not is_at_hand(one)} - {"mnist"}
    stand_ins = {name.removeprefix("synthetic-") for name in sources() if name.startswith("synthetic-")}
    assert stand_ins == {SHARED.get(name, name) for name in official} | set(SHARED.values())


@pytest.mark.parametrize("name", KNOWN)
def test_it_is_named_synthetic_wherever_it_is_shown(name: str, home: Path) -> None:
    stand_in = source(f"synthetic-{name}")
    assert stand_in.title.startswith("SYNTHETIC stand-in") and name in stand_in.title
    assert prepared.prepare(stand_in, Path()).name == f"synthetic-{name}"
    assert prepared.verify(stand_in.name)["title"] == stand_in.title


@pytest.mark.parametrize("name", KNOWN)
def test_it_has_the_shapes_of_the_real_one_and_can_be_learnt(name: str) -> None:
    shape, dtype, classes, least = KNOWN[name]
    found = arrays(name)
    assert found["train_x"].shape == (2048, *shape) and found["test_x"].shape == (512, *shape)
    assert found["train_x"].dtype == dtype and found["train_y"].dtype == np.int64
    assert np.unique(found["train_y"]).tolist() == list(range(classes))
    model = RidgeClassifier(10.0).fit(features(found["train_x"]), found["train_y"])
    told = model.predict(features(found["test_x"]))
    assert (told == found["test_y"]).mean() > least
    assert (told == np.random.default_rng(0).permutation(found["test_y"])).mean() < min(3 / classes, 0.6)


def test_the_words_of_a_sentence_belong_to_one_class_only() -> None:
    found = arrays("emotion")
    x = np.concatenate([found["train_x"], found["test_x"]])
    y = np.concatenate([found["train_y"], found["test_y"]])
    assert x.max() < WORDS <= VOCABULARY
    telling = (x >= FIRST_WORD) & (x < FIRST_WORD + CLASS_WORDS * len(EMOTIONS))
    assert telling.any(axis=1).all()
    assert ((x - FIRST_WORD) // CLASS_WORDS == y[:, np.newaxis])[telling].all()


@pytest.mark.parametrize(("name", "sha256"), SHA256_STARTS.items())
def test_the_bytes_are_the_same_on_every_machine(name: str, sha256: str) -> None:
    found = arrays(name)
    content = b"".join(found[part].tobytes() for part in sorted(found))
    assert hashlib.sha256(content).hexdigest()[:16] == sha256
