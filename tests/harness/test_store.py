"""Campaign folders: whole or not at all, and refused by name when they cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import store
from harness.errors import CampaignError
from tests.campaigns import Recipe, build


def test_what_was_stored_is_read_in_the_order_in_which_it_ran(tmp_path: Path) -> None:
    built = build(tmp_path / "c", Recipe())
    read = store.load_campaign(tmp_path / "c")
    assert read.record == built.record
    assert [run.record for run in read.runs] == [run.record for run in built.runs]
    starts = [run.record.start_ns for run in read.runs]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record: record | {"format_version": 99}, "has format 99; this version of suite reads 1"),
        (
            lambda record: {k: v for k, v in record.items() if k != "plan"},
            "is not valid: plan: Field required",
        ),
        (lambda record: record | {"surprise": 1}, "is not valid: surprise"),
        (lambda record: [], "cannot be read"),
    ],
)
def test_an_odd_campaign_file_is_one_line_that_names_it(tmp_path: Path, change: object, words: str) -> None:
    build(tmp_path / "c", Recipe())
    path = tmp_path / "c" / store.CAMPAIGN_FILE
    path.write_text(json.dumps(change(json.loads(path.read_text()))))  # type: ignore[operator]
    with pytest.raises(CampaignError, match=words) as caught:
        store.load_campaign(tmp_path / "c")
    assert str(path) in str(caught.value)


def test_a_campaign_file_cut_short_is_refused(tmp_path: Path) -> None:
    build(tmp_path / "c", Recipe())
    path = tmp_path / "c" / store.CAMPAIGN_FILE
    path.write_text(path.read_text()[:-40])
    with pytest.raises(CampaignError, match="cannot be read"):
        store.load_campaign(tmp_path / "c")


def test_a_run_without_its_record_is_not_read_as_complete(tmp_path: Path) -> None:
    built = build(tmp_path / "c", Recipe())
    (built.runs[0].folder / store.RUN_FILE).unlink()
    assert len(store.load_campaign(tmp_path / "c").runs) == len(built.runs) - 1


def test_what_a_killed_beginning_left_is_no_campaign_but_anything_else_is_kept(tmp_path: Path) -> None:
    for part in store.PARTS:
        (tmp_path / part).mkdir()
    (tmp_path / f".{store.CAMPAIGN_FILE}.partial").write_text('{"half": ')
    store.require_new(tmp_path)
    (tmp_path / store.RUNS / "somebody's").mkdir()
    with pytest.raises(CampaignError, match="not empty"):
        store.require_new(tmp_path)
