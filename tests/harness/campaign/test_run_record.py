"""What is written of a run that came to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.campaign.run_record import Marks, Seen, record_of
from harness.datasets import prepared, source
from harness.energy.series import Series
from harness.records import Channel, Outcome, PlannedRun, Treatment
from harness.sampling.client import Recorded
from suite.llm.spec import Llm
from tests.harness.campaign.test_execution import execution

NS = 1_000_000_000


def training(**settings: Any) -> PlannedRun:
    kind = {"workload": "llm", "framework": "f", "version": "1", "stage": "train", "settings": settings}
    treatment = Treatment(dataset="synthetic-wikitext", **kind)
    return PlannedRun(run_id="0001", block=1, position=1, repetition=1, treatment=treatment)


def test_a_run_whose_setting_its_data_do_not_allow_has_a_record_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vocabulary smaller than the text's: the worker says so, and the host, which reads the same data, goes on."""
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    prepared.prepare(source("synthetic-wikitext"), Path())
    planned = training(size="tiny", vocabulary=10)
    seen = Seen({}, failure="llm: vocabulary must be at least 1000, of the train text's tokens")
    record = record_of(planned, execution(tmp_path).equipment, seen)
    assert (record.outcome, record.reason) == (Outcome.FAILED, seen.failure)


def test_nobody_orders_on_the_host_what_a_run_that_did_not_end_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a trillion steps, by a slip of the pen: the run ends at its limit of time, and the campaign goes on."""
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    prepared.prepare(source("synthetic-wikitext"), Path())
    monkeypatch.setattr(Llm, "order", lambda *_: pytest.fail("the host orders them"))
    planned = training(size="tiny", vocabulary=1000, iterations=10**12)
    record = record_of(planned, execution(tmp_path).equipment, Seen({}, failure="it took too long"))
    assert (record.outcome, record.reason) == (Outcome.FAILED, "it took too long")


def test_what_watched_a_run_is_told_apart_from_others_load() -> None:
    """As of a GPU, which costs the sampler a tenth of a CPU to read, before and after the window, too."""
    recorded, marks = Recorded((), 1.5, 1, {}), Marks(0, go_ns=2 * NS, done_ns=12 * NS)
    channel = Channel(name="a", meter="m", unit="s", kind="counter", provenance="measured", domain="host")
    series = [Series(channel, np.array([0, 7 * NS, 15 * NS]), np.zeros(3))]
    assert Seen({}).watching_cpu_s(series) == 0.0
    assert Seen({}, recorded=recorded).watching_cpu_s(series) == 0.0  # without a window nothing is judged
    assert Seen({}, marks=marks, recorded=recorded, profiler_cpu_s=0.5).watching_cpu_s(series) == 1.5
    assert Seen({}, marks=marks, recorded=recorded).watching_cpu_s([]) == 0.0
