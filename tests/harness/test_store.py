"""Campaign folders: whole or not at all, and refused by name when they cannot be read."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from harness import store
from harness.analysis.tables import tables
from harness.errors import ANEW, CampaignError, UnsafeFile
from harness.files.record_files import REMEDY
from harness.records import IMPORTED, Limits
from harness.worker.events import EVENTS_FILE
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
            "is not valid: plan: is missing",
        ),
        (lambda record: record | {"surprise": 1}, "is not valid: surprise"),
        (lambda record: record | {"a\nb\x1b": 1}, r"is not valid: a\\nb\\x1b"),
        (lambda record: record | {"format_version": "1\n2"}, r"has format 1\\n2"),
        (
            lambda record: record | {"plan": record["plan"] | {"seed": None}},
            "is not valid: isolation: the plan leaves open",
        ),
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


def secret(folder: Path) -> Path:
    """A file that no campaign may show."""
    folder.mkdir()
    (folder / store.RUN_FILE).write_text('{"format_version": "the secret"}')
    return folder


def linked_record(campaign: store.Campaign, outside: Path) -> None:
    (campaign.folder / store.CAMPAIGN_FILE).unlink()
    (campaign.folder / store.CAMPAIGN_FILE).symlink_to(outside / store.RUN_FILE)


def linked_stop(campaign: store.Campaign, outside: Path) -> None:
    (campaign.folder / store.STOP_FILE).symlink_to(outside / store.RUN_FILE)


def linked_run(campaign: store.Campaign, outside: Path) -> None:
    (campaign.folder / store.RUNS / "0009-more").symlink_to(outside)


def linked_runs(campaign: store.Campaign, outside: Path) -> None:
    (campaign.folder / store.RUNS).rename(outside / "runs")
    (campaign.folder / store.RUNS).symlink_to(outside / "runs")


def fifo(campaign: store.Campaign, outside: Path) -> None:
    (campaign.runs[0].folder / store.RUN_FILE).unlink()
    os.mkfifo(campaign.runs[0].folder / store.RUN_FILE)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("plant", [linked_record, linked_stop, linked_run, linked_runs, fifo])
def test_no_link_leads_out_of_a_campaign(tmp_path: Path, plant: Callable[..., None]) -> None:
    plant(build(tmp_path / "c", Recipe(blocks=1)), secret(tmp_path / "outside"))
    with pytest.raises(UnsafeFile, match="is not read") as caught:
        store.load_campaign(tmp_path / "c")
    assert "secret" not in str(caught.value)


def test_a_run_under_another_runs_name_is_refused(tmp_path: Path) -> None:
    first, second = build(tmp_path / "c", Recipe(blocks=1)).runs[:2]
    shutil.copytree(first.folder, second.folder, dirs_exist_ok=True)
    with pytest.raises(CampaignError, match=f"holds another run: {first.record.planned.run_id}; {ANEW}$"):
        store.load_campaign(tmp_path / "c")
    with pytest.raises(CampaignError, match="holds another run"):
        store.outcomes(tmp_path / "c")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("start_ns", 2**63), ("start_ns", "12"), ("exit_code", True), ("sampler_cpu_s", "nan"), ("reason", None),
        ("planned.run_id", "../../../etc"), ("planned.run_id", ".."), ("planned.run_id", "a\nb"),
        ("planned.run_id", "a" * 999), ("planned.block", 10**40), ("planned.treatment.settings", {"depth": []}),
    ],
)  # fmt: skip
def test_an_odd_value_of_a_run_is_one_line_that_names_its_key(
    tmp_path: Path, key: str, value: object
) -> None:
    path = build(tmp_path / "c", Recipe(blocks=1)).runs[0].folder / store.RUN_FILE
    record = json.loads(path.read_text())
    *way, last = key.split(".")
    reduce(dict.__getitem__, way, record)[last] = value
    path.write_text(json.dumps(record))
    with pytest.raises(CampaignError, match=f"is not valid: {key}") as caught:
        store.load_campaign(tmp_path / "c")
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "\xff", '{"format_version": 1e400}', '"text"', "null"])
def test_what_is_no_json_of_a_record_is_one_line(tmp_path: Path, text: str) -> None:
    path = build(tmp_path / "c", Recipe(blocks=1)).runs[0].folder / store.RUN_FILE
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CampaignError, match=f"cannot be read: .+: {REMEDY}$") as caught:
        store.load_campaign(tmp_path / "c")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (store.CAMPAIGN_FILE, lambda record: []),
        (store.CAMPAIGN_FILE, lambda record: {"schema": 99}),
        (store.CAMPAIGN_FILE, lambda record: {k: v for k, v in record.items() if k != "plan"}),
        (store.RUN_FILE, lambda record: record | {"outcome": 5}),
        (store.RUN_FILE, lambda record: record | {"sampler_cpu_s": float("nan")}),
        (store.STOP_FILE, lambda record: []),
    ],
)  # fmt: skip
def test_a_damaged_record_is_told_with_what_helps(tmp_path: Path, name: str, change: Any) -> None:
    built = build(tmp_path / "c", Recipe(blocks=1))
    path = (built.runs[0].folder if name == store.RUN_FILE else built.folder) / name
    record = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(change(record)))
    with pytest.raises(CampaignError, match=f"^{path} .*: {REMEDY}$") as caught:
        store.load_campaign(tmp_path / "c")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("made_by", "suite"), [("0.9.1", r" \(0\.9\.1\)"), ("", ""), (7, "")])
def test_a_campaign_of_another_format_is_told_with_the_suite_that_reads_it(
    tmp_path: Path, made_by: object, suite: str
) -> None:
    path = build(tmp_path / "c", Recipe(blocks=1)).folder / store.CAMPAIGN_FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format_version": 2, "made_by": made_by}))
    helps = f"read it with the suite that wrote it{suite}, or take it from a copy$"
    with pytest.raises(CampaignError, match=f"has format 2; this version of suite reads 1: {helps}"):
        store.load_campaign(tmp_path / "c")


CUTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "within a line": (lambda told: told[:333], "is damaged: it ends within a line"),
    "within the last line": (lambda told: told[:-3], "is damaged: it ends within a line"),
    "after a line": (lambda told: told[: told.index(b"\n", 333) + 1], "is damaged: it ends before the run did"),
    "empty": (lambda told: b"", "is damaged: it ends before the run did"),
    "no text": (lambda told: b"\xff\xfe\x00" * 100, "is damaged: it ends within a line"),
    "a line of no text": (lambda told: b"\xff\xfe\x00" * 100 + b"\n" + told, "line 1 is no event: .*"),
    "a line of something else": (lambda told: b"[]\n" + told, "line 1 is no event: .*"),
}  # fmt: skip


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("purpose", ["measure", "control"])
def test_a_broken_file_of_events_is_not_laid_at_the_workers_door(
    tmp_path: Path, purpose: str, cut: str
) -> None:
    built = build(tmp_path / "c", Recipe(blocks=1, control_s=0.5))
    run = next(one for one in built.runs if one.record.planned.purpose == purpose)
    path, (change, words) = run.folder / EVENTS_FILE, CUTS[cut]
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(CampaignError, match=f"^{path},? {words}: {store.WITHOUT_RUN}$"):
        store.load_campaign(tmp_path / "c")


@pytest.mark.parametrize("left", [0, 20, 150, 333])
def test_a_run_that_was_killed_is_read_wherever_its_events_end(tmp_path: Path, left: int) -> None:
    """A disk that was full cuts a line short; of such a run nobody saw the end."""
    built = build(tmp_path / "c", Recipe(blocks=1))
    change_run(built.runs[0].folder, done_ns=None, outcome="failed", reason="killed")
    path = built.runs[0].folder / EVENTS_FILE
    path.write_bytes(path.read_bytes()[:left])
    (read,) = (run for run in store.load_campaign(built.folder).runs if run.folder == built.runs[0].folder)
    assert len(read.events) == path.read_bytes().count(b"\n")


def test_a_run_whose_events_are_broken_is_measured_anew_as_its_message_says(tmp_path: Path) -> None:
    """A machine that stopped had left one run by half, and no command read the others."""
    built = build(tmp_path / "c", Recipe(blocks=2))
    broken = built.runs[0].folder
    (broken / EVENTS_FILE).write_bytes(b"")
    with pytest.raises(CampaignError, match="or remove the run's folder, and suite run --resume"):
        store.load_campaign(built.folder)
    shutil.rmtree(broken)
    assert [one.run_id for one in store.missing(built.folder, built.order)] == [broken.name]


def test_the_disk_holds_all_files_of_a_run_before_its_record_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = build(tmp_path / "c", Recipe(blocks=1)).runs[0]
    unfinished = tmp_path / "c" / store.UNFINISHED / run.folder.name
    run.folder.rename(unfinished)
    (unfinished / store.RUN_FILE).unlink()
    files = {path.stat().st_ino: path.name for path in unfinished.iterdir() if path.is_file()}
    held: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda one: held.append(files.get(os.fstat(one).st_ino, store.RUN_FILE)))
    store.store_run(tmp_path / "c", unfinished, run.record)
    assert set(held[:-1]) == set(files.values()) and held[-1] == store.RUN_FILE


def test_an_imported_run_need_not_tell_that_it_is_done_but_in_whole_lines(tmp_path: Path) -> None:
    run = build(tmp_path / "c", Recipe(blocks=1)).runs[0]
    change_run(run.folder, isolation=IMPORTED)
    path = run.folder / EVENTS_FILE
    lines = path.read_bytes().splitlines(keepends=True)[:-1]
    path.write_bytes(b"".join(lines))
    assert len(store.load_run(run.folder).events) == len(lines)
    path.write_bytes(b"".join(lines)[:-3])
    with pytest.raises(CampaignError, match=f"is damaged: it ends within a line: {REMEDY}$"):
        store.load_run(run.folder)


def change_run(folder: Path, **keys: object) -> None:
    path = folder / store.RUN_FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))


def test_a_folder_of_endless_runs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_RUNS", 3)
    build(tmp_path / "few", Recipe(blocks=1))
    with pytest.raises(CampaignError, match="more than the 3 runs that are read"):
        build(tmp_path / "c", Recipe(blocks=2))


@pytest.mark.parametrize("part", [*store.PARTS, store.ASIDE])
@pytest.mark.parametrize("plant", [lambda at, to: at.symlink_to(to), lambda at, to: at.write_text("")])
def test_a_campaign_that_goes_on_writes_into_no_folder_but_its_own(
    tmp_path: Path, part: str, plant: Callable[[Path, Path], None]
) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    store.require_own_parts(campaign.folder)
    (tmp_path / "home").mkdir()
    place = campaign.folder / part
    if place.exists():
        shutil.rmtree(place)
    plant(place, tmp_path / "home")
    with pytest.raises(UnsafeFile, match=f"{part} is not written to"):
        store.require_own_parts(campaign.folder)


def test_a_linked_part_is_no_beginning_of_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / store.RUNS).symlink_to(tmp_path / "home")
    with pytest.raises(CampaignError, match="is not empty"):
        store.require_new(tmp_path / "c")


# What a run's record did not hold before the worker was watched.
ADDED = (
    "done_seen_ns", "done_since_ns", "lateness_allowed_s", "bye_ns", "cpu_before_go_s", "cpu_after_done_s",
)  # fmt: skip


def test_a_campaign_stored_before_workers_were_watched_reads_as_it_did(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    energies = tables(campaign).runs["energy_j"].tolist()
    for run in campaign.runs:
        record = json.loads((run.folder / store.RUN_FILE).read_text())
        for name in ADDED:
            del record[name]
        (run.folder / store.RUN_FILE).write_text(json.dumps(record))
        (run.folder / "request.json").write_text('{"version": 1}')
    whole = json.loads((campaign.folder / store.CAMPAIGN_FILE).read_text())
    del whole["plan"]["limits"]
    (campaign.folder / store.CAMPAIGN_FILE).write_text(json.dumps(whole))
    again = store.load_campaign(campaign.folder)
    assert tables(again).runs["energy_j"].tolist() == energies
    assert {run.record.done_seen_ns for run in again.runs} == {None}
    assert again.record.plan.limits == Limits()


def _changed(folder: Path, change: Callable[[dict[str, Any]], object]) -> str:
    """What is said of a campaign whose first measured run's file has been changed."""
    build(folder, Recipe())
    path = sorted((folder / store.RUNS).glob("*/run.json"))[-1]
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    with pytest.raises(CampaignError) as caught:
        store.load_campaign(folder)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run: run.update(done_ns=run["go_ns"] - 10**9), "done_ns lies 1 s before go_ns"),
        (lambda run: run.update(go_ns=run["start_ns"] - 10**9), "go_ns lies 1 s before start_ns"),
        (lambda run: run.update(exit_ns=run["done_ns"] - 10**9), "exit_ns lies 1 s before done_ns"),
        (lambda run: run.update(done_ns=None, exit_ns=run["go_ns"] - 10**9), "exit_ns lies 1 s before go_ns"),
    ],
)
def test_a_run_whose_times_run_backwards_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    assert words in _changed(tmp_path / "c", change)
