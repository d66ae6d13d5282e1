"""No two builds of one anonymous campaign pass for one, whatever became of the notes of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness import paths, store
from harness.campaign.anonymous_run import cleaned
from harness.campaign.builds import UNKNOWN, numbered
from tests.campaigns import Recipe, build

IDENTITY = "ab" * 16
OLD, NEW, NEWEST = (f"0.1.0 (commit {digit * 12})" for digit in "abc")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_two_builds_that_go_on_elsewhere_are_two_unknown_ones() -> None:
    told = [numbered(IDENTITY, made_by, is_first=False) for made_by in (NEW, NEWEST, NEW)]
    assert told == [f"0.1.0, {UNKNOWN}", f"0.1.0, {UNKNOWN} 2", f"0.1.0, {UNKNOWN}"]


@pytest.mark.parametrize("several", [(OLD, "0.1.0"), ("0.1.0", OLD)])
def test_a_version_that_knows_no_commit_is_another_build_than_one_that_does(several: tuple[str, ...]) -> None:
    first, second = (numbered(IDENTITY, one, is_first=one == several[0]) for one in several)
    assert (first, second) == ("0.1.0", "0.1.0, build 2")


@pytest.mark.parametrize("content", ["5", "null", "{}", '"abc"', "[1]", "[" * 100_000, "[]", ""])
def test_a_note_that_is_none_of_ours_is_none(content: str) -> None:
    paths.builds().mkdir(parents=True)
    (paths.builds() / f"{IDENTITY}.json").write_text(content)
    assert numbered(IDENTITY, NEW, is_first=False) == f"0.1.0, {UNKNOWN}"


def test_where_no_note_can_be_written_the_run_is_kept_and_who_resumes_is_unknown(home: Path) -> None:
    """A home that others have filled may be read alone: the run was lost after it had been measured."""
    home.write_text("no folder")
    assert numbered(IDENTITY, OLD, is_first=True) == "0.1.0"
    assert numbered(IDENTITY, NEW, is_first=False) == f"0.1.0, {UNKNOWN}"


def test_a_campaign_of_before_has_its_number_alone(home: Path) -> None:
    assert numbered("", NEW, is_first=False) == "0.1.0"
    assert numbered(IDENTITY, "", is_first=False) == ""
    assert not home.exists()


def test_what_was_forgotten_stays_unknown() -> None:
    assert numbered(IDENTITY, OLD, is_first=True) == "0.1.0"
    shutil.rmtree(paths.builds())
    assert [numbered(IDENTITY, one, is_first=False) for one in (OLD, NEW)] == [
        f"0.1.0, {UNKNOWN}", f"0.1.0, {UNKNOWN} 2",
    ]  # fmt: skip


def test_a_bare_number_is_a_build_of_the_record_and_no_other_program_in_a_text(tmp_path: Path) -> None:
    made = build(tmp_path / "c", Recipe(blocks=1, identity=IDENTITY))
    numbered(IDENTITY, OLD, is_first=True)
    run = made.runs[0]
    (run.folder / store.CONSOLE_FILE).write_text("safetensors 0.1.0\n")
    record = cleaned(made.folder, run.folder, run.record.model_copy(update={"made_by": "0.1.0"}))
    assert record.made_by == "0.1.0, build 2"
    assert (run.folder / store.CONSOLE_FILE).read_text() == "safetensors 0.1.0\n"
