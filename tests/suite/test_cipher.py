"""A task that is no classifier is proven and measured: outputs, units, stages, batches, trainings of its own."""

import json

import numpy as np
import pytest

from harness.conformance import recorded
from harness.conformance.comparison import compare, failures
from harness.conformance.tolerances import EXACT, LONG, tolerance
from harness.worker import events
from suite.task import Direction
from tests.toys.cipher.spec import LENGTH, SPEC, edits

FRAMEWORKS = ("torch", "jax", "tensorflow", "keras", "keras-jax", "keras-torch")
EXAMPLES = SPEC.examples(200, 3)


def test_rows_draws_and_lengths_of_a_batch_follow_from_the_order_alone():
    orders = [SPEC.order(EXAMPLES, 5, piece) for piece in (1, 2)]
    assert [one.shape for one in orders] == [(20, 16)] * 2
    first, again = (SPEC.batch(EXAMPLES, orders[0][0]) for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in ("source", "target"))
    lengths = [SPEC.batch(EXAMPLES, rows)["source"].shape[1] for rows in orders[0]]
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1] == LENGTH
    assert set(SPEC.batch(SPEC.without_targets(EXAMPLES), orders[0][0])) == {"source"}


def test_a_training_in_iterations_goes_on_over_the_ends_of_the_data():
    """200 samples are 12 batches: a piece of 20 has one epoch's and the beginning of the next."""
    taken = np.concatenate([SPEC.order(EXAMPLES, 5, piece) for piece in (1, 2, 3)])
    assert taken.shape == (60, 16) and SPEC.pieces == 3 and SPEC.iterations_of(2) == 40
    counts = np.bincount(taken.ravel(), minlength=200)
    assert counts.sum() == 60 * 16 and counts.max() <= 5


def test_the_edit_distance_counts_edits():
    pairs = {("kitten", "sitting"): 3, ("", "abc"): 3, ("abc", "abc"): 0, ("abc", "ac"): 1}
    for (one, other), wanted in pairs.items():
        assert edits(*(np.array([ord(letter) for letter in word]) for word in (one, other))) == wanted


SCRIPT = """
import importlib, json, sys, tempfile
from contextlib import contextmanager
from pathlib import Path
import numpy as np
from suite.runtimes import implementation_module, runtime_module
out, framework = sys.argv[1:]
runtime = importlib.import_module(runtime_module(framework))
runtime.configure(1, "cpu")
runtime.configure = lambda threads, device: None  # which is for once
from suite import verify
from suite.dropout import masks
from suite.protocol import Request
from suite.run import MeasuredRun
from tests.toys.cipher.spec import SPEC
name = implementation_module("cipher", framework)
module = importlib.import_module(name.replace("suite.", "tests.toys."))
sys.modules |= {"suite.cipher.spec": sys.modules["tests.toys.cipher.spec"], name: module}

class Told(list):
    def send(self, kind, **data):
        self.append({"t_ns": len(self), "kind": kind, **data})
    @contextmanager
    def phase(self, name, epoch=None):
        self.send("phase", name=name, edge="begin", epoch=epoch)
        yield
        self.send("phase", name=name, edge="end", epoch=epoch)

def run(stage, folder, state=None):
    told = Told()
    request = Request("r", "cipher", framework, stage, "cipher", 1, settings={"infer_passes": 2})
    one = MeasuredRun(request, told, folder, folder, state)
    one.execute()
    return told, one.impl.params()

PLAIN = {
    "clip_norm": {"clip_norm": 0.0}, "weight_decay": {"weight_decay": 0.0},
}
class Unscheduled(type(SPEC)):
    def rates(self, first, steps):
        return None
class Undropped(module.Impl):
    def dropped(self, x, site, batch):
        return x
class Forgetful(module.Impl):
    def apply(self, first, batch, stage):
        return super().apply(first, {**batch, "memory": batch["memory"] * 0}, stage)

def moved_by(spec, implementation=module.Impl):
    weights = spec.initial_weights(1)
    one = implementation(spec, weights, "float64", "cpu")
    data = spec.inputs(EXAMPLES, "float64") | masks(spec.sites(), len(EXAMPLES["source"]), 1)
    for rows in spec.order(EXAMPLES, 1, 1)[:3]:
        one.step(spec.batch(data, rows))
    return float(np.linalg.norm(one.params()["dense/kernel"] - weights["dense/kernel"]))

EXAMPLES = SPEC.examples(200, 3)
moved = {name: moved_by(SPEC.with_settings(one)) for name, one in PLAIN.items()}
moved |= {one.__name__: moved_by(one()) for one in (type(SPEC), Unscheduled)}
moved |= {one.__name__: moved_by(SPEC, one) for one in (Forgetful, Undropped)}
with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    for split, examples in (("train", EXAMPLES), ("test", SPEC.examples(50, 4))):
        for name, array in examples.items():
            np.save(folder / f"{split}_{name}.npy", array)
    (folder / "answers").touch()  # instead of the host's pipe
    trained, weights = run("train", folder)
    np.savez(folder / "state.npz", **weights)
    runs = {"train": trained, **{stage: run(stage, folder, folder / "state.npz")[0] for stage in ("infer", "generate")}}
kinds = {kind: verify.record(module.Impl, SPEC, verify.KINDS[kind], "cpu") for kind in ("exact", "long")}
Path(out).write_text(json.dumps({"runs": runs, "moved": moved, **kinds}))
"""


@pytest.fixture(scope="module")
def found(found_by):
    return {name: found_by(SCRIPT, name, name) for name in FRAMEWORKS}


@pytest.mark.frameworks
@pytest.mark.parametrize("kind", [EXACT, LONG])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_all_frameworks_do_the_same_work(found, framework, kind):
    record, reference = found[framework][kind], found["torch"][kind]
    assert recorded.parsed(json.dumps([record]).encode(), [kind]) == [record]
    checks = list(compare(record, reference, tolerance(framework, kind, {})))
    assert [one for one in checks if not one.passed] == []
    assert {"outputs infer/logits", "outputs generate/tokens", "answers generate/tokens"} <= {
        c.check for c in checks
    }


@pytest.mark.frameworks
@pytest.mark.parametrize("drift", ["tokens", "logits"])
def test_one_other_token_or_logit_is_found(found, drift):
    changed = json.loads(json.dumps(found["jax"][EXACT]))
    stage = {"tokens": "generate", "logits": "infer"}[drift]
    sketch = changed["outputs"][f"{stage}/{drift}"]
    sketch["hash" if drift == "tokens" else "norm"] = (
        "0" * 16 if drift == "tokens" else sketch["norm"] * 1.001
    )
    told = failures(list(compare(changed, found["torch"][EXACT], tolerance("jax", EXACT, {}))))
    assert [one.check for one in told] == [f"outputs {stage}/{drift}"]


def of(run, kind):
    """As the harness takes them in."""
    told = (events.parse(json.dumps(one).encode()) for one in run if one["kind"] == kind)
    return [one.data for one in told]


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_training_tells_its_metric_its_iterations_and_its_tokens(found, framework):
    run = found[framework]["runs"]["train"]
    told = of(run, "metrics")
    assert [one["metric"] for one in told] == ["edit_distance"] * 3
    assert [one["iterations"] for one in told] == [20, 40, 60]
    qualities = [one["values"]["edit_distance"] for one in told]
    assert SPEC.metrics[0].direction is Direction.LOWER
    assert not SPEC.metrics[0].is_better(qualities[0], qualities[-1]) and qualities[-1] < 1
    (work,) = of(run, "work")
    assert (work["steps"], work["samples"]) == (60, 960)
    assert work["units"]["sample"] == 960 and 3 * 960 < work["units"]["token"] < LENGTH * 960
    (prints,) = of(run, "fingerprint")
    assert all(set(one["answers"]) == {"tokens/items", "tokens/columns"} for one in prints["epochs"])


@pytest.mark.frameworks
@pytest.mark.parametrize("stage", ["infer", "generate"])
def test_each_stage_has_phases_and_outputs_of_its_own_name(found, stage):
    runs = [found[framework]["runs"][stage] for framework in FRAMEWORKS]
    for run in runs:
        assert [one["name"] for one in of(run, "phase") if one["edge"] == "end"].count(stage) == 2
        assert of(run, "work")[0]["units"]["sample"] == 100
    answers = [of(run, "fingerprint")[-1]["answers"] for run in runs]
    of_logits = {f"logits/{word}" for word in ("sum", "norm", "projection")}
    assert {frozenset(one) for one in answers} == {
        frozenset({"tokens/items", "tokens/columns"} if stage == "generate" else of_logits)
    }


@pytest.mark.frameworks
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_whatever_a_spec_asks_for_changes_what_is_learnt(found, framework):
    """Else the frameworks would agree in leaving it out."""
    moved = found[framework]["moved"]
    whole = moved["Cipher"]
    assert [name for name, one in moved.items() if abs(one / whole - 1) < 1e-6] == ["Cipher"]
    assert whole == pytest.approx(found["torch"]["moved"]["Cipher"], rel=1e-9)
