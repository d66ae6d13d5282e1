"""Records as they lie on disk: of before codes were an enum, and of versions with words that this one lacks."""

import json
from pathlib import Path

import pandas as pd
import pytest

from harness import store
from harness.analysis.summary import analyse
from harness.exports.csv_text import as_text
from harness.findings.codes import Code, Severity
from harness.records import Finding, PlannedRun, Purpose
from reports.render import render
from tests.campaigns import Recipe, build

STORED = """{"code":"stale-image","severity":"warning","message":"the image's workloads are not those of the checkout \
(--allow-stale)","advice":"build it anew: suite images build"}"""
NEWER = """{"code":"moon-phase","severity":"grave","message":"full","advice":"wait"}"""
PLANNED = """{"run_id":"0001-mnist_cnn","block":1,"position":1,"repetition":1,"treatment":{"workload":"mnist_cnn",\
"framework":"jax","version":"0.10.2","stage":"train","dataset":"digits","device":"cpu","settings":{}},"purpose":"%s"}"""


def test_what_was_stored_as_text_is_read_as_the_enum_and_stored_as_the_same_text() -> None:
    found = Finding.model_validate_json(STORED)
    assert (found.code, found.severity) == (Code.STALE_IMAGE, Severity.WARNING)
    assert isinstance(found.code, Code) and isinstance(found.severity, Severity)
    assert found.model_dump_json() == STORED
    assert json.loads(json.dumps(found.model_dump())) == json.loads(STORED)


def test_a_code_and_a_severity_of_another_version_stay_as_they_are() -> None:
    found = Finding.model_validate_json(NEWER)
    assert (found.code, found.severity) == ("moon-phase", "grave")
    assert found.model_dump_json() == NEWER


@pytest.mark.parametrize("purpose", [*Purpose, "rehearse-twice"])
def test_purposes_are_stored_as_the_same_text_known_or_not(purpose: str) -> None:
    planned = PlannedRun.model_validate_json(PLANNED % purpose)
    assert planned.purpose == purpose and isinstance(planned.purpose, Purpose) == (purpose in set(Purpose))
    assert planned.model_dump_json() == PLANNED % purpose


def stored_with(folder: Path, **changes: object) -> store.Campaign:
    """A campaign whose first measured run another version has written."""
    built = build(folder, Recipe())
    run = next(one for one in built.runs if one.record.planned.purpose == Purpose.MEASURE)
    path = run.folder / store.RUN_FILE
    record = json.loads(path.read_text())
    record["planned"] |= {key: value for key, value in changes.items() if key == "purpose"}
    record |= {key: value for key, value in changes.items() if key != "purpose"}
    path.write_text(json.dumps(record))
    return store.load_campaign(folder)


def test_a_run_of_an_unknown_purpose_is_recorded_and_in_no_figure(tmp_path: Path) -> None:
    campaign = stored_with(tmp_path / "c", purpose="rehearse-twice")
    found = analyse(campaign)
    assert len(found.counted) == len(analyse(build(tmp_path / "whole", Recipe())).counted) - 1
    assert "rehearse-twice run" in set(found.excluded["exclusion"])


def test_an_unknown_finding_is_shown_as_it_stands_and_withholds_nothing(tmp_path: Path) -> None:
    campaign = stored_with(tmp_path / "c", findings=[json.loads(NEWER)])
    found, whole = analyse(campaign), analyse(build(tmp_path / "whole", Recipe()))
    pd.testing.assert_series_equal(found.costs["verdict"], whole.costs["verdict"])
    assert "moon-phase" in render(campaign)


def test_frames_hold_purposes_as_plain_text(tmp_path: Path) -> None:
    purposes = analyse(build(tmp_path / "c", Recipe())).runs["purpose"]
    assert {type(one) for one in purposes} == {str}
    assert "measure" in as_text(purposes.to_frame())
