"""Runs whose answers are whole numbers, from the spec to the checks: sound ones agree, and what was not computed shows.

The implementation is NumPy's, so that it can go wrong in as many ways as a test asks for.
"""

import json
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from harness.analysis import parting
from harness.checks import AskedWork, not_asked_for
from harness.worker import events
from suite.protocol import Request
from suite.run import MeasuredRun
from suite.spec import Spread
from tests.bare_runtime import RUNTIME
from tests.toys.cipher.spec import GENERATE, SPEC, Cipher

SAMPLES, PASSES = 240, 3


class Told(list):
    def send(self, kind, **data):
        self.append(events.parse(json.dumps({"t_ns": len(self), "kind": kind, **data}).encode()))

    @contextmanager
    def phase(self, name, epoch=None):
        yield


class Sound:
    """Chooses each word by its scores; a lane remembers the one before it in its row of the batch."""

    def __init__(self, spec, weights, dtype, device):
        self.spec, self.weights = spec, weights

    def place(self, data):
        return data

    def compile(self, data, stage):
        """Nothing to compile."""

    def params(self):
        return self.weights

    def infer(self, data, rows, stage):
        at_once = self.spec.predict_batch_size
        batches = [rows[start : start + at_once] for start in range(0, len(rows), at_once)]
        memory, found = np.zeros(at_once, int), []
        for batch in batches:
            words = data["source"][batch]
            found.append((words + memory[: len(batch), np.newaxis]) * (words > 0))
            memory[: len(batch)] = words.sum(axis=1) % 5
        return {"tokens": np.concatenate(found)}


class Cached(Sound):
    def infer(self, data, rows, stage):
        self.kept = getattr(self, "kept", None) or super().infer(data, rows, stage)
        return self.kept


class Tiled(Sound):
    def infer(self, data, rows, stage):
        some = super().infer(data, rows[: len(rows) // 4], stage)["tokens"]
        return {"tokens": np.tile(some, (4, 1))}


class Others(Sound):
    def infer(self, data, rows, stage):
        return super().infer({"source": data["source"][::-1]}, rows, stage)


class Changed(Sound):
    """Five tokens in a hundred."""

    def infer(self, data, rows, stage):
        tokens = super().infer(data, rows, stage)["tokens"]
        some = np.random.default_rng(3).random((SAMPLES, tokens.shape[1]))[rows] < 0.05
        return {"tokens": np.where(some, 7, tokens)}


class Tied(Sound):
    """Another word in one row of a hundred, where two scores are nearly the same, and in another at each pass."""

    def infer(self, data, rows, stage):
        tokens = super().infer(data, rows, stage)["tokens"].copy()
        tokens[:: SAMPLES // 2, 0] += 1
        return {"tokens": tokens}


class InLanes(Cipher):
    """Rows in lanes, each of which goes on from batch to batch: row = step * lanes + lane. A pass permutes lanes."""

    def pass_order(self, samples, seed, number):
        lanes = self.predict_batch_size
        turned = np.random.default_rng([seed, number]).permutation(lanes)
        return (np.arange(0, samples, lanes)[:, np.newaxis] + turned).ravel()


ALONE = SPEC.with_settings({"predict_batch_size": SAMPLES})  # rows that do not follow from each other


@pytest.fixture
def run(tmp_path, monkeypatch):
    np.save(tmp_path / "train_source.npy", SPEC.examples(4, 1)["source"])
    np.save(tmp_path / "test_source.npy", SPEC.examples(SAMPLES, 2)["source"])
    (tmp_path / "answers").touch()

    def execute(implementation, spec):
        class Run(MeasuredRun):
            def _import(self):
                self.spec, self.module = (
                    spec.with_settings(self.request.settings),
                    SimpleNamespace(Impl=implementation),
                )
                self.runtime = RUNTIME

        monkeypatch.setattr(Cipher, "evaluate", lambda *_: {"edit_distance": 0.0})
        told, settings = Told(), {"infer_passes": PASSES}
        request = Request("r", "cipher", "numpy", GENERATE, "cipher", 1, settings=settings)
        Run(request, told, tmp_path, Path(tmp_path), None).execute()
        return told

    return execute


def wrong(told):
    return " ".join(one.message for one in not_asked_for(told, AskedWork(passes=PASSES)))


def left(told):
    prints = [one.data for one in told if one.kind == "fingerprint"]
    passes = [one for data in prints for one in data.get("passes", ())]
    return parting.Left("r", "numpy", "numpy", {}, (), passes, prints[-1]["answers"])


@pytest.mark.parametrize("spec", [ALONE, InLanes()], ids=["rows", "lanes"])
def test_sound_passes_of_any_order_answer_alike(run, spec):
    told = run(Sound, spec)
    assert wrong(told) == ""
    assert len({one["tokens"] for one in left(told).passes}) == 1


def test_an_order_that_breaks_lanes_is_seen(run):
    """Else nothing would be shown by lanes that stay whole."""
    assert "has other answers than the last one" in wrong(run(Sound, SPEC))


@pytest.mark.parametrize("spec", [ALONE, InLanes()], ids=["rows", "lanes"])
@pytest.mark.parametrize("fault", [Cached, Tiled])
def test_answers_that_were_not_computed_in_each_pass_are_found_in_the_run_itself(run, fault, spec):
    assert "has other answers than the last one" in wrong(run(fault, spec))


@pytest.mark.parametrize("fault", [Others, Changed])
def test_other_answers_are_found_by_those_of_another_framework(run, fault):
    sound, other = (run(one, ALONE) for one in (Sound, fault))
    assert wrong(other) == "", "it is steady"
    why = parting.difference(left(other), left(sound), Spread())
    assert "items of the answers' tokens in pass 1 are others" in why


def test_scores_that_nearly_tie_part_nobody(run):
    sound, other = (run(one, ALONE) for one in (Sound, Tied))
    assert wrong(other) == "" and len({one["tokens"] for one in left(other).passes}) > 1
    assert parting.difference(left(other), left(sound), Spread()) == ""
