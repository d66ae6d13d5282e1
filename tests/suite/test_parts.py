"""A stage whose spec names parts is measured part by part, by an implementation in NumPy that can go wrong."""

import json
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from harness.worker import events
from suite.protocol import Request
from suite.run import MeasuredRun
from suite.spec import count
from suite.task import TRAIN
from tests.bare_runtime import RUNTIME
from tests.toys.reciter.spec import CONTINUATION, DECODE, GENERATE, PERPLEXITY, PREFILL, SPEC, WORDS

HELD, PASSES = 8, 2  # samples of the test set, of which six are asked for


class Told(list):
    """The events, and what was computed between them."""

    def send(self, kind, **data):
        self.append(events.parse(json.dumps({"t_ns": len(self), "kind": kind, **data}).encode()))

    @contextmanager
    def phase(self, name, epoch=None):
        self.send("phase", name=name, edge="begin", epoch=epoch)
        yield
        self.send("phase", name=name, edge="end", epoch=epoch)

    def phases(self):
        return [one.data["name"] for one in self if one.kind == "phase" and one.data["edge"] == "begin"]

    def of(self, kind):
        return next(one.data for one in self if one.kind == kind)


class Recites:
    def __init__(self, spec, weights, dtype, device):
        self.spec, self.weights = spec, weights

    def place(self, data):
        return data

    def compile(self, data, stage):
        """Nothing to compile."""

    def params(self):
        return self.weights

    def part(self, name, data, rows, before):
        return getattr(self, name)(data["x"][rows], before)

    def prefill(self, x, before):
        assert before is None
        return x[:, 0], (x[:, self.spec.prompt_tokens - 1] + x[:, 0]) % WORDS

    def decode(self, x, before):
        first, token = before
        return {
            "tokens": np.stack([(token + k * first) % WORDS for k in range(self.spec.new_tokens)], axis=1)
        }


class UnderWay(Recites):
    def decode(self, x, before):
        return {"tokens": super().decode(x, before)["tokens"].tolist()}


class OthersState(Recites):
    """Decodes the batch that was decoded before."""

    last = None

    def decode(self, x, before):
        self.last, before = before, self.last or before
        return super().decode(x, before)


@pytest.fixture
def run(tmp_path):
    for split in ("train", "test"):
        np.save(tmp_path / f"{split}_x.npy", SPEC.examples(HELD, 1)["x"])

    def execute(implementation=Recites, **settings):
        class Run(MeasuredRun):
            def _import(self):
                self.spec = SPEC.with_settings(self.request.settings)
                self.module, self.runtime = SimpleNamespace(Impl=implementation), RUNTIME

        told = Told()
        asked = Request(
            "r", "reciter", "numpy", GENERATE, "rows", 1, settings={"infer_passes": PASSES, **settings}
        )
        Run(asked, told, tmp_path, tmp_path, None).execute()
        return told

    return execute


def test_each_part_of_each_batch_is_a_phase_all_of_one_part_before_the_next(run):
    inside = run().phases()[4:-1]
    assert inside == PASSES * [*3 * [PREFILL], *3 * [DECODE]]


def test_a_last_smaller_batch_has_its_phases_too(run):
    assert run(predict_batch_size=4).phases()[4:-1] == PASSES * [PREFILL, PREFILL, DECODE, DECODE]


def test_each_batch_is_decoded_from_its_own_prefill(run):
    told = {one: run(one).of("metrics")["values"]["continuation"] for one in (Recites, OthersState)}
    assert told[Recites] == 1.0 > told[OthersState]


def test_quality_and_work_are_those_of_the_stage(run):
    told = run()
    assert told.of("metrics")["metric"] == "continuation"
    assert told.of("work")["units"] == {
        "sample": PASSES * 6,
        "prompt_token": PASSES * 6 * 4,
        "generated_token": PASSES * 6 * 2,
    }


def test_answers_that_may_be_under_way_fail_the_run(run):
    with pytest.raises(TypeError, match="may still be under way"):
        run(UnderWay)


def test_more_requests_than_the_test_set_has_go_over_it_again(run):
    told = run(requests=2 * HELD + 2)
    assert told.of("work")["units"]["sample"] == PASSES * (2 * HELD + 2)
    assert told.of("metrics")["values"]["continuation"] == 1.0


def test_a_stage_without_that_quality_has_no_floor():
    assert SPEC.metrics_of(TRAIN) == (PERPLEXITY,) and SPEC.metrics_of(GENERATE) == (CONTINUATION,)
    assert SPEC.floor_of(TRAIN) == {"rows": WORDS} and SPEC.floor_of(GENERATE) == {}
    assert SPEC.answered(HELD, TRAIN) == HELD == count(SPEC.examples(HELD, 1))
