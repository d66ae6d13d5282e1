"""Machines read one object a line: what is waited for, watts with their provenance, findings as they appear."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from harness.campaign.remaining import Remaining
from harness.cli.progress_json import JsonProgress
from harness.records import Provenance, RunRecord
from suite.protocol import Event
from tests.campaigns import Recipe, build
from tests.harness.cli.test_progress import FOUND


@pytest.fixture
def records(tmp_path: Path) -> list[RunRecord]:
    runs = [run.record for run in build(tmp_path / "built", Recipe(noise=0.0)).runs]
    return [record.model_copy(update={"findings": FOUND}) for record in runs]


@pytest.fixture
def said(records: list[RunRecord]) -> list[dict[str, Any]]:
    """What a whole campaign says."""
    out = io.StringIO()
    order = [record.planned for record in records]
    with redirect_stdout(out), JsonProgress(Remaining(order, 10.0, 0.0)) as one:
        for record in records:
            one.waiting("baseline")
            one.run_started(record.planned)
            one.run_event(Event(0, "phase", {"name": "train", "edge": "begin", "epoch": 1}))
            one.power(41.26, Provenance.ESTIMATED)
            one.power(None, Provenance.ESTIMATED)
            one.run_finished(record)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def of(said: list[dict[str, Any]], event: str) -> list[dict[str, Any]]:
    return [one for one in said if one["event"] == event]


def test_every_object_has_a_time_in_utc_and_says_what_it_is(said: list[dict[str, Any]]) -> None:
    assert {datetime.fromisoformat(one["time"]).utcoffset().total_seconds() for one in said} == {0}
    first, last = said[0], said[-1]
    assert (first["event"], first["runs"], first["runs_done"]) == ("campaign", 6, 0)
    assert (last["event"], last["runs_done"], last["interrupted"]) == ("end", 6, False)
    assert last["findings"] == {"warm": 6, "slow": 6}


def test_watts_come_with_their_provenance_and_unknown_is_null(said: list[dict[str, Any]]) -> None:
    known, unknown = of(said, "power")[:2]
    assert (known["power_w"], known["provenance"]) == (41.26, "estimated")
    assert (unknown["power_w"], unknown["provenance"]) == (None, "estimated")


def test_a_finding_is_an_object_the_first_time_for_a_treatment_and_all_are_with_the_run(
    said: list[dict[str, Any]],
) -> None:
    fresh = of(said, "finding")
    assert [one["code"] for one in fresh] == ["warm", "slow"] * 2
    assert fresh[0].items() >= FOUND[0].model_dump().items()
    assert all(len(one["findings"]) == len(FOUND) for one in of(said, "run-finished"))


def test_the_eta_has_an_interval_once_something_ran_twice(said: list[dict[str, Any]]) -> None:
    etas = [one["eta"] for one in of(said, "run-finished")]
    assert etas[0]["seconds"] >= 0
    assert etas[0]["low_s"] is None
    assert etas[3]["low_s"] <= etas[3]["seconds"] <= etas[3]["high_s"]
    assert etas[-1] == {"seconds": 0.0, "low_s": 0.0, "high_s": 0.0}


def test_what_is_waited_for_is_said(said: list[dict[str, Any]]) -> None:
    assert [one["what"] for one in of(said, "waiting")] == ["baseline"] * 6


def test_a_campaign_that_is_broken_off_says_so(records: list[RunRecord]) -> None:
    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt), redirect_stdout(out), JsonProgress(Remaining([], 1.0, 0.0)):
        raise KeyboardInterrupt
    assert json.loads(out.getvalue().splitlines()[-1])["interrupted"] is True
