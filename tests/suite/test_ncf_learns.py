"""NeuMF learns on real ratings: it ranks what a user rated last above what everybody rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.inventory import catalog
from suite import data
from suite.ncf.ranking import TOP, judged
from suite.ncf.spec import SPEC
from suite.spec import Arrays
from tests.real_sets import movielens_small

DATASET = "ml-latest-small"
# At the study's batch of 64 an epoch is 7 400 steps, and a layer of 256 more takes twice as long: this takes a minute.
SETTINGS = {"epochs": 8, "batch_size": 1024, "learning_rate": 0.002, "layers": "256-128-64"}
BETTER = 1.1  # than by popularity
FASTEST = "jax"  # at these sizes

pytestmark = pytest.mark.frameworks

TRAINED = f"""
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite import data
from suite.ncf.spec import SPEC
from suite.runtimes import implementation_module, runtime_module
out, framework, folder, *seeds = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(2, "cpu")
Impl = importlib.import_module(implementation_module("ncf", framework)).Impl
spec, raw = SPEC.with_dataset("{DATASET}").with_settings({SETTINGS}), data.load(Path(folder))
train, test = spec.of_both(raw.train, raw.test, "float32")

def hit_rate(seed):
    one = Impl(spec, spec.initial_weights(seed), "float32", "cpu")
    asked, taught = one.place(test), one.place(train)
    one.compile(taught, "train")
    for epoch in range(1, spec.epochs + 1):
        one.train(taught, spec.order(raw.train, seed, epoch))
    outputs = one.infer(asked, np.arange(len(raw.test["user"])))
    return spec.evaluate(raw.test, outputs)["hit_rate"]

with open(out, "w") as file:
    json.dump([hit_rate(int(seed)) for seed in seeds], file)
"""


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOULEMARK_HOME", str(tmp_path_factory.mktemp("home")))
        return movielens_small(tmp_path_factory.mktemp("official"))


def by_popularity(train: Arrays, test: Arrays) -> float:
    """Hit rate of a ranking by the number of a film's ratings, of equal ones in a seeded order."""
    times = np.bincount(train["item"], minlength=SPEC.with_dataset(DATASET).items)
    _, asked = SPEC.with_dataset(DATASET).of_both(train, test, "float32")
    best = np.argsort(-times[asked["candidates"]], axis=1, kind="stable")[:, :TOP]
    return judged(test["item"], np.take_along_axis(asked["candidates"], best, axis=1))["hit_rate"]


def test_it_beats_popularity_by_a_tenth(found_by, ratings: Path) -> None:
    raw = data.load(ratings)
    (found,) = found_by(TRAINED, FASTEST, FASTEST, ratings, "1")
    assert found >= BETTER * by_popularity(raw.train, raw.test)


@pytest.mark.slow
def test_the_frameworks_lie_within_the_seeds(found_by, ratings: Path) -> None:
    seeds = ("1", "2", "3")
    names = catalog.workload("ncf").frameworks
    found = {name: found_by(TRAINED, name, name, ratings, *seeds) for name in names}
    means = [np.mean(one) for one in found.values()]
    assert np.ptp(means) <= max(np.ptp(one) for one in found.values())
