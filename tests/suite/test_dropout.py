"""Dropout leaves out the stated share, anew in each step, of training alone; and the same again from the same weights.

The proof of equal work gives all the same masks, so it sees nobody's generator. Here its draws are seen by what
training leaves: tests/toys/coin.
"""

import math

import numpy as np
import pytest

from suite.dropout import Site, mask_of, masks, seed_of
from tests.toys.coin.spec import PREMADE, SITES, WIDTH

MODES = {
    "torch": ("eager", "compile"),
    "jax": ("scan", "jit"),
    "tensorflow": ("graph", "eager", "xla"),
    "keras": ("graph", "eager", "xla"),
    "keras-jax": ("jit",),
    "keras-torch": ("eager",),
}
EACH = [(framework, mode) for framework, modes in MODES.items() for mode in modes]
STEPS = 3
ALLOWED = 5  # standard deviations of a share

SCRIPT = """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite.runtimes import runtime_module
out, framework, *modes = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
from suite import verify
from tests.toys.coin.spec import PREMADE, SPEC
Impl = importlib.import_module(f"tests.toys.coin.{framework.partition('-')[0]}_impl").Impl
order, name = np.zeros((1, 1), np.int64), "rows/embeddings"

def moved(spec, seed=1, compiled=True):
    one = Impl(spec, spec.initial_weights(seed), "float32", "cpu")
    data, steps = one.place(spec.inputs(spec.examples(1, 0), "float32")), []
    if compiled:
        one.compile(data, "train")
    for _ in range(STEPS):
        before = np.array(one.params()[name])
        one.train(data, order)
        steps.append((before - one.params()[name]).tolist())
    answers = one.infer(data, np.arange(1))["kept"][0] - one.params()[name]
    return {"steps": steps, "infer": float(np.abs(answers).max())}

told = {}
for mode in modes:
    spec, premade = (one.with_settings({"mode": mode}) for one in (SPEC, PREMADE))
    told[mode] = {"resident": moved(spec), "again": moved(spec), "others": moved(spec, 2)}
    if mode != "scan":
        told[mode]["premade"] = moved(premade)
for spec in (SPEC, PREMADE):
    kinds = {kind: verify.record(Impl, spec, verify.KINDS[kind], "cpu") for kind in ("exact", "own")}
    told[f"proof {spec.premade}"] = kinds
Path(out).write_text(json.dumps(told))
""".replace("STEPS", str(STEPS))


@pytest.fixture(scope="module")
def found(found_by):
    kept = {}

    def find(framework):
        if framework not in kept:
            kept[framework] = found_by(SCRIPT, framework, framework, *MODES[framework])
        return kept[framework]

    return find


def test_masks_of_the_proof_are_shared_and_keep_the_stated_share():
    found = masks(SITES, 5, seed=1)
    assert {name: array.shape for name, array in found.items()} == {
        mask_of(site): (5, WIDTH) for site in SITES
    }
    for site, one in SITES.items():
        assert found[mask_of(site)].dtype == bool
        assert_share(~found[mask_of(site)], one.rate)
    again = masks({**SITES, "third": Site(0.9, (3,))}, 5, seed=1)
    assert all(np.array_equal(array, again[name]) for name, array in found.items())
    assert not np.array_equal(*found.values())


def test_the_seed_follows_from_the_weights():
    weights = [PREMADE.initial_weights(seed) for seed in (1, 1, 2)]
    one, same, other = map(seed_of, weights)
    assert one == same != other and 0 <= one < 1 << 31


def assert_share(left_out, rate):
    allowed = ALLOWED * math.sqrt(rate * (1 - rate) / left_out.size)
    assert left_out.mean() == pytest.approx(rate, abs=allowed)


@pytest.mark.frameworks
@pytest.mark.parametrize(("framework", "mode"), EACH)
def test_its_own_generator_leaves_out_the_stated_share_anew_in_each_step(found, framework, mode):
    told = found(framework)[mode]
    ways = [told[way] for way in ("resident", "premade", "others") if way in told]
    for way in ways:
        steps = np.array(way["steps"])
        for number, site in enumerate(SITES.values()):
            rows = steps[:, number]
            assert_share(rows == 0, site.rate)
            np.testing.assert_allclose(rows[rows != 0], 1 / (1 - site.rate), rtol=1e-5)
            shared = (rows[:1] == 0) & (rows[1:] == 0)
            assert_share(shared, site.rate**2)
        first, second = (steps[:, number] == 0 for number in range(len(SITES)))
        assert_share(first & second, math.prod(site.rate for site in SITES.values()))
    assert told["again"]["steps"] == told["resident"]["steps"] != told["others"]["steps"]
    assert all(way["infer"] == 0 for way in ways)


@pytest.mark.frameworks
@pytest.mark.parametrize("premade", [False, True])
@pytest.mark.parametrize("framework", MODES)
def test_of_the_shared_masks_all_leave_the_same(found, framework, premade):
    """In float64 by step, and in float32 by what is measured."""
    for kind, most in (("exact", 1e-12), ("own", 1e-5)):
        record, reference = (found(one)[f"proof {premade}"][kind] for one in (framework, "torch"))
        np.testing.assert_allclose(record["losses"], reference["losses"], rtol=most)
        for moved in ("moved", "trained") if kind == "own" else ("moved",):
            entries, wanted = (one[moved]["rows/embeddings"]["entries"] for one in (record, reference))
            np.testing.assert_allclose(entries, wanted, rtol=most, atol=most)
