"""Frames of a campaign against its raw files, read here with plain pyarrow, numpy and json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from harness import store
from harness.analysis.tables import EPOCH_COLUMNS, PHASE_COLUMNS, RUN_COLUMNS, tables
from harness.errors import CampaignError
from harness.records import Outcome
from harness.worker.events import EVENTS_FILE
from tests.campaigns import Recipe, build


def energy_from_scratch(folder: Path, begin_ns: int, end_ns: int) -> float:
    """Sum over the boundary channels of run.json: growth modulo the range, interpolated at the borders."""
    record = json.loads((folder / "run.json").read_text())
    rows = pq.read_table(folder / "samples.parquet").to_pydict()
    t_ns, names, values = (np.array(rows[key]) for key in ("t_ns", "channel", "value"))
    total = 0.0
    for channel in record["channels"]:
        if channel["boundary"]:
            mine = names == channel["name"]
            growth = np.diff(values[mine]) % channel["wraps_at"]
            total += np.diff(
                np.interp([begin_ns, end_ns], t_ns[mine], np.concatenate(([0], np.cumsum(growth))))
            )[0]
    return float(total)


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def test_a_run_costs_what_its_raw_files_say(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(seed=7))
    for run, (_, row) in zip(campaign.runs, tables(campaign).runs.iterrows(), strict=True):
        raw = json.loads((run.folder / "run.json").read_text())
        seconds = (raw["done_ns"] - raw["go_ns"]) / 1e9
        joules = energy_from_scratch(run.folder, raw["go_ns"], raw["done_ns"])
        assert row["duration_s"] == seconds
        assert row["energy_j"] == pytest.approx(joules, rel=1e-9)
        assert row["mean_power_w"] == pytest.approx(joules / seconds, rel=1e-9)
        assert joules > 100  # the counter wrapped on the way: a difference of its ends would be negative


def test_the_stage_is_its_compile_and_train_phases(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c")
    run, row = campaign.runs[0], tables(campaign).runs.iloc[0]
    marks = [e for e in events(run.folder) if e["kind"] == "phase" and e["name"] in ("compile", "train")]
    spans = list(zip(marks[::2], marks[1::2], strict=True))
    assert len(spans) == 4  # compile and three epochs
    assert row["stage_duration_s"] == pytest.approx(
        sum(end["t_ns"] - begin["t_ns"] for begin, end in spans) / 1e9
    )
    joules = sum(energy_from_scratch(run.folder, begin["t_ns"], end["t_ns"]) for begin, end in spans)
    assert row["stage_energy_j"] == pytest.approx(joules, rel=1e-9)


def test_memory_and_cpu_time_come_from_the_host_where_it_watched(tmp_path: Path) -> None:
    row = tables(build(tmp_path / "c")).runs.iloc[0]
    assert 5.02e8 <= row["memory_peak_bytes"] < 5.03e8  # the worker's own word is 4e8
    assert row["cpu_s"] == pytest.approx(0.9 * row["duration_s"])


def test_a_failed_run_has_a_row_without_costs(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1, outcomes={("torch", 1): Outcome.FAILED}))
    failed = tables(campaign).runs.set_index("framework").loc["torch"]
    assert (failed["outcome"], failed["reason"]) == ("failed", "the worker ended with exit code 1")
    assert failed[["duration_s", "energy_j", "stage_duration_s", "stage_energy_j", "quality"]].isna().all()


def test_a_run_without_stage_phases_has_an_unknown_stage_and_never_zero(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    kept = [e for e in events(campaign.runs[0].folder) if e["kind"] != "phase"]
    rewrite(campaign.runs[0].folder, kept)
    row = tables(store.load_campaign(campaign.folder)).runs.iloc[0]
    assert row["duration_s"] > 0
    assert row[["stage_duration_s", "stage_energy_j"]].isna().all()


@pytest.mark.parametrize("values", [{"accuracy": "<script>"}, {"loss": [1]}, {"f1": True}, None])
def test_a_stored_event_with_nonsense_for_numbers_is_refused_by_file_and_line(
    tmp_path: Path, values: Any
) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    folder = campaign.runs[0].folder
    odd = {"t_ns": 5, "kind": "metrics", "epoch": 1, "metric": "accuracy", "values": values}
    rewrite(folder, [odd, *events(folder)])
    with pytest.raises(CampaignError, match=r"events\.jsonl, line 1 is no event"):
        store.load_campaign(campaign.folder)


def test_a_metric_that_is_unknown_is_null(tmp_path: Path) -> None:
    """As of a loss that was no number, in campaigns of before the events were checked."""
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    folder = campaign.runs[0].folder
    values = {"accuracy": None, "loss": float("nan"), "precision": None}
    odd = {"t_ns": 5, "kind": "metrics", "epoch": 1, "metric": "accuracy", "values": values}
    rewrite(folder, [e for e in events(folder) if e["kind"] != "metrics"] + [odd])
    found = tables(store.load_campaign(campaign.folder))
    mine = found.epochs[found.epochs["run_id"] == campaign.runs[0].record.planned.run_id]
    assert len(mine) == 1
    assert mine[["accuracy", "loss", "f1", "precision"]].isna().all(axis=None)
    assert np.isnan(found.runs.iloc[0]["quality"])


def test_an_empty_campaign_has_empty_frames_with_all_columns(tmp_path: Path) -> None:
    found = tables(build(tmp_path / "c", Recipe(blocks=0)))
    frames = (found.runs, found.phases, found.epochs)
    assert [list(frame.columns) for frame in frames] == [RUN_COLUMNS, PHASE_COLUMNS, EPOCH_COLUMNS]
    assert all(frame.empty for frame in frames)


def test_epochs_carry_their_own_costs(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1, epochs=4))
    found = tables(campaign)
    mine = found.epochs[found.epochs["run_id"] == found.runs.iloc[0]["run_id"]]
    assert mine["epoch"].tolist() == [1, 2, 3, 4]
    run = campaign.runs[0].folder
    marks = [e for e in events(run) if e["kind"] == "phase" and e["name"] == "train" and e["epoch"] == 2]
    assert mine.iloc[1]["energy_j"] == pytest.approx(
        energy_from_scratch(run, marks[0]["t_ns"], marks[1]["t_ns"])
    )


def rewrite(folder: Path, lines: list[dict[str, Any]]) -> None:
    (folder / EVENTS_FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
