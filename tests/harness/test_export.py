"""The CSV of all runs, read back with the standard library."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from harness.analysis.tables import RUN_COLUMNS, tables
from harness.export import runs_csv
from harness.records import Outcome
from tests.campaigns import Recipe, build


def test_floats_read_back_exactly_and_unknown_is_an_empty_cell(tmp_path: Path) -> None:
    campaign = build(
        tmp_path / "c", Recipe(blocks=2, outcomes={("torch", 1): Outcome.FAILED}, reason='a "b",\nc')
    )
    rows = list(csv.DictReader(io.StringIO(runs_csv(campaign))))
    frame = tables(campaign).runs
    assert list(rows[0]) == RUN_COLUMNS and len(rows) == len(frame) == 4
    for row, (_, run) in zip(rows, frame.iterrows(), strict=True):
        assert (row["run_id"], row["outcome"]) == (run["run_id"], run["outcome"])
        if run["outcome"] == "failed":
            assert (row["duration_s"], row["energy_j"], row["samples"], row["quality"]) == ("", "", "", "")
            assert row["reason"] == 'a "b",\nc'
        else:
            assert float(row["energy_j"]) == run["energy_j"] and float(row["duration_s"]) == run["duration_s"]
            assert (row["samples"], row["memory_peak_bytes"]) == ("4311", "502000000")
            assert (row["provenance"], row["quality_metric"]) == ("measured", "accuracy")


def test_a_campaign_without_runs_is_a_header(tmp_path: Path) -> None:
    assert runs_csv(build(tmp_path / "c", Recipe(blocks=0))) == ",".join(RUN_COLUMNS) + "\n"
