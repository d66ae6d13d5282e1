"""A stage whose requests arrive one by one is measured pass by pass, by an implementation in NumPy."""

import json
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from suite.protocol import Request
from suite.run import MeasuredRun
from suite.served import Served
from tests.bare_runtime import RUNTIME
from tests.suite.test_parts import HELD, PASSES, Recites, Told
from tests.toys.reciter.spec import SPEC, Reciter


@dataclass(frozen=True)
class Arriving(Reciter):
    stages = (*Reciter.stages, "serve")
    parts = {**Reciter.parts, "serve": ("answer",)}  # noqa: RUF012
    arriving = ("serve",)

    def metrics_of(self, stage):
        return super().metrics_of("generate")

    def units_of(self, stage):
        return super().units_of("generate")

    def answered(self, samples, stage):
        return self.requests


class Serves(Recites):
    def serve(self, data, rows):
        tokens = self.decode(None, self.prefill(data["x"][rows], None))
        stamps = [1_000 + 10 * np.arange(len(rows)) + wait for wait in (0, 500, 900)]
        return Served(tokens, *stamps, {"slot_steps": 8, "idle_slot_steps": 3})


class UnderWay(Serves):
    def serve(self, data, rows):
        found = super().serve(data, rows)
        found.outputs["tokens"] = found.outputs["tokens"].tolist()
        return found


@pytest.fixture
def run(tmp_path):
    for split in ("train", "test"):
        np.save(tmp_path / f"{split}_x.npy", SPEC.examples(HELD, 1)["x"])

    def execute(implementation):
        class Run(MeasuredRun):
            def _import(self):
                self.spec = Arriving().with_settings(self.request.settings)
                self.module, self.runtime = SimpleNamespace(Impl=implementation), RUNTIME

        told = Told()
        asked = Request("r", "reciter", "numpy", "serve", "rows", 1, settings={"infer_passes": PASSES})
        Run(asked, told, tmp_path, tmp_path, None).execute()
        return told

    return execute


def test_each_pass_is_a_phase_and_tells_its_stamps_after_it(run):
    told = run(Serves)
    assert told.phases()[4:-1] == PASSES * ["answer"]
    order = [one.kind for one in told if one.kind == "requests" or one.data.get("name") == "answer"]
    assert order == PASSES * ["phase", "phase", "requests"]
    stamps = told.of("requests")
    assert stamps["arrived_ns"] == [1_000, 1_010, 1_020, 1_030, 1_040, 1_050]
    assert stamps["last_token_ns"][0] - stamps["first_token_ns"][0] == 400 and json.dumps(stamps)


def test_work_holds_the_slots_of_all_passes_and_quality_is_of_the_answers(run):
    told = run(Serves)
    assert told.of("metrics")["values"]["continuation"] == 1.0
    work = told.of("work")
    assert (work["slot_steps"], work["idle_slot_steps"]) == (PASSES * 8, PASSES * 3)


def test_answers_that_may_be_under_way_fail_the_run(run):
    with pytest.raises(TypeError, match="may still be under way"):
        run(UnderWay)
